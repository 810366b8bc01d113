# bash completion for shoe-floor: made by `shoe-floor help --completion bash`
_shoe_floor() {
    local cur=${COMP_WORDS[COMP_CWORD]} path=shoe-floor option='' config='' words='' typed='' word
    local -i place=0
    [[ $cur == = ]] && cur=''
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        [[ $word == = ]] && continue
        if [[ $option ]]; then
            [[ $option == --config ]] && config=$word
            option=''
            continue
        fi
        case "$path ${word//_/-}" in
            'shoe-floor ingest'|'shoe-floor metrics'|'shoe-floor check'|'shoe-floor record'|'shoe-floor record enrol'|'shoe-floor record revoke'|'shoe-floor record show'|'shoe-floor record policy'|'shoe-floor record note'|'shoe-floor record export'|'shoe-floor record prove'|'shoe-floor record incidents'|'shoe-floor record close'|'shoe-floor prepare'|'shoe-floor close'|'shoe-floor close gap'|'shoe-floor close conflict'|'shoe-floor close quarantine'|'shoe-floor page'|'shoe-floor forward'|'shoe-floor user'|'shoe-floor user add'|'shoe-floor user remove'|'shoe-floor user list'|'shoe-floor screens'|'shoe-floor screens rotate'|'shoe-floor witness'|'shoe-floor witness key'|'shoe-floor witness key new'|'shoe-floor witness key show'|'shoe-floor witness evidence'|'shoe-floor acl'|'shoe-floor key'|'shoe-floor key new'|'shoe-floor key show'|'shoe-floor tls'|'shoe-floor tls new'|'shoe-floor backfill'|'shoe-floor backup'|'shoe-floor migrate'|'shoe-floor compact'|'shoe-floor expire'|'shoe-floor pseudonym'|'shoe-floor export'|'shoe-floor report'|'shoe-floor rebuild'|'shoe-floor bundle'|'shoe-floor bundle verify'|'shoe-floor bundle install'|'shoe-floor help') path="$path ${word//_/-}" place=0 ;;
            'shoe-floor --config'|'shoe-floor ingest --config'|'shoe-floor metrics --config'|'shoe-floor check --config'|'shoe-floor record --config'|'shoe-floor record enrol --config'|'shoe-floor record enrol --by'|'shoe-floor record enrol --second'|'shoe-floor record revoke --config'|'shoe-floor record revoke --by'|'shoe-floor record revoke --second'|'shoe-floor record revoke --until'|'shoe-floor record show --config'|'shoe-floor record policy --config'|'shoe-floor record note --config'|'shoe-floor record export --config'|'shoe-floor record export --journal'|'shoe-floor record export -o'|'shoe-floor record export --output'|'shoe-floor record prove --config'|'shoe-floor record prove -o'|'shoe-floor record prove --output'|'shoe-floor record incidents --config'|'shoe-floor record close --config'|'shoe-floor record close --by'|'shoe-floor record close --second'|'shoe-floor record close --why'|'shoe-floor prepare --config'|'shoe-floor prepare --ingest'|'shoe-floor prepare --reader'|'shoe-floor prepare --closer'|'shoe-floor prepare --forward'|'shoe-floor close --config'|'shoe-floor close gap --by'|'shoe-floor close gap --why'|'shoe-floor close gap --config'|'shoe-floor close gap --to'|'shoe-floor close conflict --by'|'shoe-floor close conflict --why'|'shoe-floor close conflict --config'|'shoe-floor close conflict --digest'|'shoe-floor close quarantine --by'|'shoe-floor close quarantine --why'|'shoe-floor close quarantine --config'|'shoe-floor close quarantine --digest'|'shoe-floor close quarantine --until'|'shoe-floor page --config'|'shoe-floor forward --config'|'shoe-floor user --config'|'shoe-floor user add --config'|'shoe-floor user add --role'|'shoe-floor user remove --config'|'shoe-floor user list --config'|'shoe-floor screens --config'|'shoe-floor screens rotate --config'|'shoe-floor witness --config'|'shoe-floor witness key new --file'|'shoe-floor witness key show --config'|'shoe-floor witness evidence --config'|'shoe-floor acl --config'|'shoe-floor acl --backend'|'shoe-floor acl --reader'|'shoe-floor acl --nats'|'shoe-floor key new --file'|'shoe-floor key show --file'|'shoe-floor tls new --name'|'shoe-floor tls new --dir'|'shoe-floor backfill --config'|'shoe-floor backup --config'|'shoe-floor migrate --config'|'shoe-floor migrate --backups'|'shoe-floor compact --config'|'shoe-floor expire --config'|'shoe-floor pseudonym --config'|'shoe-floor export --config'|'shoe-floor export --table'|'shoe-floor export --journal'|'shoe-floor export -o'|'shoe-floor export --output'|'shoe-floor export --since'|'shoe-floor export --until'|'shoe-floor export --columns'|'shoe-floor export --parquet'|'shoe-floor export --after'|'shoe-floor export --cursor'|'shoe-floor report --config'|'shoe-floor report --since'|'shoe-floor report --until'|'shoe-floor report --table'|'shoe-floor report --sort'|'shoe-floor report -o'|'shoe-floor report --output'|'shoe-floor rebuild --config'|'shoe-floor help --man'|'shoe-floor help --completion') option=$word ;;
            *) [[ $word == -* ]] || { place+=1; typed=$word; } ;;
        esac
    done
    local file=${config:+--config $config}
    case "$path ${option:-$place}" in
        'shoe-floor user add --role') words='look act' ;;
        'shoe-floor help --man') words='shoe-floor.1' ;;
        'shoe-floor help --completion') words='bash' ;;
    esac
    if [[ ! $words && ! $option ]]; then
        case $path in
            'shoe-floor') words='-h --help --version --config ingest metrics check record prepare close page forward user screens witness acl key tls backfill backup migrate compact expire pseudonym export report rebuild bundle help' ;;
            'shoe-floor ingest') words='-h --help --config' ;;
            'shoe-floor metrics') words='-h --help --config' ;;
            'shoe-floor check') words='-h --help --config --json --record' ;;
            'shoe-floor record') words='-h --help --config enrol revoke show policy note export prove incidents close' ;;
            'shoe-floor record enrol') words='-h --help --config --by --second' ;;
            'shoe-floor record revoke') words='-h --help --config --by --second --until' ;;
            'shoe-floor record show') words='-h --help --config --json' ;;
            'shoe-floor record policy') words='-h --help --config' ;;
            'shoe-floor record note') words='-h --help --config' ;;
            'shoe-floor record export') words='-h --help --config --journal -o --output' ;;
            'shoe-floor record prove') words='-h --help --config -o --output' ;;
            'shoe-floor record incidents') words='-h --help --config --json' ;;
            'shoe-floor record close') words='-h --help --config --by --second --why' ;;
            'shoe-floor prepare') words='-h --help --config --ingest --reader --closer --forward' ;;
            'shoe-floor close') words='-h --help --config gap conflict quarantine' ;;
            'shoe-floor close gap') words='-h --help --by --why --config --to' ;;
            'shoe-floor close conflict') words='-h --help --by --why --config --digest' ;;
            'shoe-floor close quarantine') words='-h --help --by --why --config --digest --until' ;;
            'shoe-floor page') words='-h --help --config' ;;
            'shoe-floor forward') words='-h --help --config' ;;
            'shoe-floor user') words='-h --help --config add remove list' ;;
            'shoe-floor user add') words='-h --help --config --role --no-password' ;;
            'shoe-floor user remove') words='-h --help --config' ;;
            'shoe-floor user list') words='-h --help --config' ;;
            'shoe-floor screens') words='-h --help --config rotate' ;;
            'shoe-floor screens rotate') words='-h --help --config' ;;
            'shoe-floor witness') words='-h --help --config key evidence' ;;
            'shoe-floor witness key') words='-h --help new show' ;;
            'shoe-floor witness key new') words='-h --help --file --if-none' ;;
            'shoe-floor witness key show') words='-h --help --config' ;;
            'shoe-floor witness evidence') words='-h --help --config --json' ;;
            'shoe-floor acl') words='-h --help --config --backend --reader --nats' ;;
            'shoe-floor key') words='-h --help new show' ;;
            'shoe-floor key new') words='-h --help --file' ;;
            'shoe-floor key show') words='-h --help --file' ;;
            'shoe-floor tls') words='-h --help new' ;;
            'shoe-floor tls new') words='-h --help --name --dir' ;;
            'shoe-floor backfill') words='-h --help --config' ;;
            'shoe-floor backup') words='-h --help --config' ;;
            'shoe-floor migrate') words='-h --help --config --dry-run --back --backups' ;;
            'shoe-floor compact') words='-h --help --config' ;;
            'shoe-floor expire') words='-h --help --config --dry-run' ;;
            'shoe-floor pseudonym') words='-h --help --config' ;;
            'shoe-floor export') words='-h --help --config rounds messages conflicts quarantine gaps closed closed_conflicts closed_quarantine shoes expired incidents pending fact_round fact_stake fact_day fact_bet fact_dealer_bet fact_pace fact_hours fact_alarm fact_dealer fact_entry fact_shoe fact_order fact_acts fact_none --csv --table --journal -o --output --since --until --columns --parquet --after --cursor' ;;
            'shoe-floor report') words='-h --help --config day shift table dealer bet changes alarms early hands hold ties chance --since --until --table --sort --csv --html -o --output' ;;
            'shoe-floor rebuild') words='-h --help --config facts' ;;
            'shoe-floor bundle') words='-h --help verify install' ;;
            'shoe-floor bundle verify') words='-h --help --rollback --unsigned' ;;
            'shoe-floor bundle install') words='-h --help --rollback --unsigned --with' ;;
            'shoe-floor help') words='-h --help --man --completion' ;;
        esac
    fi
    [[ $path == '' && ! $option && $cur == *_* ]] && words=${words//-/_}
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}
complete -o default -F _shoe_floor shoe-floor
