# bash completion for shoe: made by `shoe help --completion bash`
_shoe() {
    local cur=${COMP_WORDS[COMP_CWORD]} path=shoe option='' config='' words='' typed='' word
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
            'shoe run'|'shoe demo'|'shoe replay'|'shoe play'|'shoe roads'|'shoe odds'|'shoe do'|'shoe do open-shoe'|'shoe do close-shoe'|'shoe do close-table'|'shoe do bets-open'|'shoe do bets-closed'|'shoe do mark'|'shoe do unmark'|'shoe do next'|'shoe do reveal'|'shoe do fly'|'shoe do request-shoe-change'|'shoe do request-dealer-change'|'shoe do dealer'|'shoe do void'|'shoe do resolve'|'shoe do correct'|'shoe do resend'|'shoe do take-back'|'shoe do confirm'|'shoe enter'|'shoe status'|'shoe watch'|'shoe check'|'shoe config'|'shoe calibrate'|'shoe support'|'shoe wiring'|'shoe retire'|'shoe journal'|'shoe journal list'|'shoe journal show'|'shoe journal verify'|'shoe journal prove'|'shoe journal heads'|'shoe journal export'|'shoe key'|'shoe key new'|'shoe key show'|'shoe key rotate'|'shoe key retire'|'shoe record'|'shoe record begin'|'shoe tls'|'shoe tls join'|'shoe bundle'|'shoe bundle verify'|'shoe bundle install'|'shoe schema'|'shoe help') path="$path ${word//_/-}" place=0 ;;
            'shoe run --config'|'shoe demo --rounds'|'shoe demo --speed'|'shoe demo --reader'|'shoe demo --game'|'shoe demo --seats'|'shoe demo --procedure'|'shoe demo --fault'|'shoe demo --seed'|'shoe demo --broker'|'shoe demo --port'|'shoe demo --disclose'|'shoe demo --betting'|'shoe demo --policy'|'shoe demo --svg'|'shoe replay --game'|'shoe replay --procedure'|'shoe replay --close'|'shoe replay --config'|'shoe replay --topic'|'shoe replay --jobs'|'shoe roads --svg'|'shoe roads --png'|'shoe roads --road'|'shoe roads --theme'|'shoe roads --lang'|'shoe roads --size'|'shoe roads --title'|'shoe roads --leading-ties'|'shoe roads --row1-limit'|'shoe roads --config'|'shoe odds --game'|'shoe odds --decks'|'shoe odds --seen'|'shoe odds --lang'|'shoe odds --tiger-pair-top'|'shoe odds --natural-bets'|'shoe do open-shoe --lot'|'shoe do open-shoe --decks'|'shoe do open-shoe --left'|'shoe do open-shoe --dealer'|'shoe do open-shoe --confirmed-by'|'shoe do open-shoe --by'|'shoe do open-shoe --config'|'shoe do open-shoe --lang'|'shoe do close-shoe --why'|'shoe do close-shoe --by'|'shoe do close-shoe --config'|'shoe do close-shoe --lang'|'shoe do close-table --why'|'shoe do close-table --by'|'shoe do close-table --config'|'shoe do close-table --lang'|'shoe do bets-open --by'|'shoe do bets-open --config'|'shoe do bets-open --lang'|'shoe do bets-closed --by'|'shoe do bets-closed --config'|'shoe do bets-closed --lang'|'shoe do mark --round'|'shoe do mark --turn'|'shoe do mark --by'|'shoe do mark --config'|'shoe do mark --lang'|'shoe do unmark --seat'|'shoe do unmark --round'|'shoe do unmark --turn'|'shoe do unmark --by'|'shoe do unmark --config'|'shoe do unmark --lang'|'shoe do next --by'|'shoe do next --config'|'shoe do next --lang'|'shoe do reveal --by'|'shoe do reveal --config'|'shoe do reveal --lang'|'shoe do fly --by'|'shoe do fly --config'|'shoe do fly --lang'|'shoe do request-shoe-change --by'|'shoe do request-shoe-change --config'|'shoe do request-shoe-change --lang'|'shoe do request-dealer-change --by'|'shoe do request-dealer-change --config'|'shoe do request-dealer-change --lang'|'shoe do dealer --by'|'shoe do dealer --config'|'shoe do dealer --lang'|'shoe do void --why'|'shoe do void --second'|'shoe do void --by'|'shoe do void --config'|'shoe do void --lang'|'shoe do resolve --why'|'shoe do resolve --second'|'shoe do resolve --by'|'shoe do resolve --config'|'shoe do resolve --lang'|'shoe do correct --missed'|'shoe do correct --why'|'shoe do correct --second'|'shoe do correct --by'|'shoe do correct --config'|'shoe do correct --lang'|'shoe do resend --journal'|'shoe do resend --since'|'shoe do resend --from'|'shoe do resend --to'|'shoe do resend --by'|'shoe do resend --config'|'shoe do resend --lang'|'shoe do take-back --by'|'shoe do take-back --config'|'shoe do take-back --lang'|'shoe do confirm --by'|'shoe do confirm --config'|'shoe do confirm --lang'|'shoe enter --second'|'shoe enter --by'|'shoe enter --config'|'shoe enter --lang'|'shoe status --config'|'shoe status --lang'|'shoe watch --config'|'shoe watch --lang'|'shoe check --config'|'shoe config --config'|'shoe calibrate --by'|'shoe calibrate --cards'|'shoe calibrate --patience'|'shoe calibrate --config'|'shoe support --config'|'shoe support -o'|'shoe support --out'|'shoe wiring --config'|'shoe wiring --svg'|'shoe retire --config'|'shoe retire --table'|'shoe journal list --dir'|'shoe journal list --config'|'shoe journal show --dir'|'shoe journal show --config'|'shoe journal show --seq'|'shoe journal verify --dir'|'shoe journal verify --config'|'shoe journal verify --head'|'shoe journal verify --policy'|'shoe journal verify --jobs'|'shoe journal prove --dir'|'shoe journal prove --config'|'shoe journal prove --note'|'shoe journal prove -o'|'shoe journal prove --output'|'shoe journal heads --dir'|'shoe journal heads --config'|'shoe journal export --dir'|'shoe journal export --config'|'shoe journal export -o'|'shoe journal export --output'|'shoe key new --file'|'shoe key show --config'|'shoe key rotate --config'|'shoe key rotate --file'|'shoe key rotate --by'|'shoe key rotate --second'|'shoe key retire --config'|'shoe key retire --file'|'shoe key retire --by'|'shoe key retire --second'|'shoe record begin --config'|'shoe record begin --file'|'shoe record begin --by'|'shoe record begin --second'|'shoe record begin --why'|'shoe tls join --port'|'shoe tls join --ca'|'shoe tls join --config'|'shoe help --lang'|'shoe help --man'|'shoe help --completion'|'shoe help --words'|'shoe help --config') option=$word ;;
            *) [[ $word == -* ]] || { place+=1; typed=$word; } ;;
        esac
    done
    local file=${config:+--config $config}
    case "$path ${option:-$place}" in
        'shoe do 0') [[ $cur == -* ]] || words=$(shoe help --words orders $file 2>/dev/null) || words='' ;;
        'shoe do resolve 0') [[ $cur == -* ]] || words=$(shoe help --words alarms $file 2>/dev/null) || words='' ;;
        'shoe do resolve 1') [[ $cur == -* ]] || words=$(shoe help --words choices $typed $file 2>/dev/null) || words='' ;;
        'shoe do resend --journal') [[ $cur == -* ]] || words=$(shoe help --words journals $file 2>/dev/null) || words='' ;;
        'shoe do resend --since') [[ $cur == -* ]] || words=$(shoe help --words dates $file 2>/dev/null) || words='' ;;
        'shoe journal show 0') [[ $cur == -* ]] || words=$(shoe help --words journals $file 2>/dev/null) || words='' ;;
        'shoe journal verify 0') [[ $cur == -* ]] || words=$(shoe help --words journals $file 2>/dev/null) || words='' ;;
        'shoe journal export 0') [[ $cur == -* ]] || words=$(shoe help --words journals $file 2>/dev/null) || words='' ;;
        'shoe demo --reader') words='native line grow ssi rdm6300 angel-eye' ;;
        'shoe demo --game') words='baccarat blackjack niuniu erbagang zhajinhua' ;;
        'shoe demo --procedure') words='on-demand six-card' ;;
        'shoe demo --fault') words='unreadable duplicate foreign wrong_slot result_mismatch face_up double_feed backwards jam overdrawn drawn_before_bets_closed drawn_before_mark missing_third burn_short burn_over shoe_empty cut_card_mid_round cut_card_early cut_card_missing reader_lost reader_back reader_gap read_again lid_opened sensor_stuck broker_lost restarted_mid_round keypad_lost store_silent disk_full clock_jump unshuffled' ;;
        'shoe demo --broker') words='auto mosquitto amqtt' ;;
        'shoe demo --disclose') words='dealt sealed' ;;
        'shoe demo --betting') words='ignored required' ;;
        'shoe demo --policy') words='keep-order us-burn macau studio' ;;
        'shoe replay --game') words='baccarat blackjack niuniu erbagang zhajinhua' ;;
        'shoe replay --procedure') words='on-demand six-card' ;;
        'shoe replay --close') words='auto next' ;;
        'shoe roads --road') words='bead big big-eye small cockroach ask good' ;;
        'shoe roads --theme') words='light dark' ;;
        'shoe roads --lang') words='en zh-Hant zh-Hans' ;;
        'shoe roads --leading-ties') words='first-bead own-column' ;;
        'shoe roads --row1-limit') words='stay descend' ;;
        'shoe odds --game') words='baccarat blackjack niuniu erbagang zhajinhua' ;;
        'shoe odds --lang') words='en zh-Hant zh-Hans' ;;
        'shoe odds --tiger-pair-top') words='identical same-rank' ;;
        'shoe odds --natural-bets') words='must-win any-natural' ;;
        'shoe do open-shoe --lang') words='en zh-Hant zh-Hans' ;;
        'shoe do close-shoe --lang') words='en zh-Hant zh-Hans' ;;
        'shoe do close-table --lang') words='en zh-Hant zh-Hans' ;;
        'shoe do bets-open --lang') words='en zh-Hant zh-Hans' ;;
        'shoe do bets-closed --lang') words='en zh-Hant zh-Hans' ;;
        'shoe do mark --lang') words='en zh-Hant zh-Hans' ;;
        'shoe do unmark --lang') words='en zh-Hant zh-Hans' ;;
        'shoe do next --lang') words='en zh-Hant zh-Hans' ;;
        'shoe do reveal --lang') words='en zh-Hant zh-Hans' ;;
        'shoe do fly --lang') words='en zh-Hant zh-Hans' ;;
        'shoe do request-shoe-change --lang') words='en zh-Hant zh-Hans' ;;
        'shoe do request-dealer-change --lang') words='en zh-Hant zh-Hans' ;;
        'shoe do dealer --lang') words='en zh-Hant zh-Hans' ;;
        'shoe do void --lang') words='en zh-Hant zh-Hans' ;;
        'shoe do resolve --lang') words='en zh-Hant zh-Hans' ;;
        'shoe do correct --lang') words='en zh-Hant zh-Hans' ;;
        'shoe do resend --lang') words='en zh-Hant zh-Hans' ;;
        'shoe do take-back --lang') words='en zh-Hant zh-Hans' ;;
        'shoe do confirm --lang') words='en zh-Hant zh-Hans' ;;
        'shoe enter --lang') words='en zh-Hant zh-Hans' ;;
        'shoe status --lang') words='en zh-Hant zh-Hans' ;;
        'shoe watch --lang') words='en zh-Hant zh-Hans' ;;
        'shoe help --lang') words='en zh-Hant zh-Hans' ;;
        'shoe help --man') words='shoe.1 bridge.toml.5' ;;
        'shoe help --completion') words='bash' ;;
        'shoe help --words') words='orders alarms choices journals dates' ;;
    esac
    if [[ ! $words && ! $option ]]; then
        case $path in
            'shoe') words='-h --help --version run demo replay play roads odds do enter status watch check config calibrate support wiring retire journal key record tls bundle schema help' ;;
            'shoe run') words='-h --help --config' ;;
            'shoe demo') words='-h --help --rounds --speed --reader --game --seats --procedure --fault --seed --broker --port --disclose --betting --policy --svg --plain' ;;
            'shoe replay') words='-h --help --game --procedure --no-burn --close --config --topic --pretty --jobs' ;;
            'shoe play') words='-h --help baccarat blackjack niuniu erbagang zhajinhua --json' ;;
            'shoe roads') words='-h --help --json --svg --png --road --theme --lang --size --title --pair-dots --leading-ties --row1-limit --config' ;;
            'shoe odds') words='-h --help --game --decks --seen --markdown --json --lang --tiger-pair-top --natural-bets' ;;
            'shoe do') words='-h --help open-shoe close-shoe close-table bets-open bets-closed mark unmark next reveal fly request-shoe-change request-dealer-change dealer void resolve correct resend take-back confirm' ;;
            'shoe do open-shoe') words='-h --help --lot --decks --left --dealer --confirmed-by --by --config --json --lang' ;;
            'shoe do close-shoe') words='-h --help --why --by --config --json --lang' ;;
            'shoe do close-table') words='-h --help --why --by --config --json --lang' ;;
            'shoe do bets-open') words='-h --help --by --config --json --lang' ;;
            'shoe do bets-closed') words='-h --help --money --by --config --json --lang' ;;
            'shoe do mark') words='-h --help --round --turn --by --config --json --lang' ;;
            'shoe do unmark') words='-h --help --seat --round --turn --by --config --json --lang' ;;
            'shoe do next') words='-h --help --by --config --json --lang' ;;
            'shoe do reveal') words='-h --help --by --config --json --lang' ;;
            'shoe do fly') words='-h --help --by --config --json --lang' ;;
            'shoe do request-shoe-change') words='-h --help --by --config --json --lang' ;;
            'shoe do request-dealer-change') words='-h --help --by --config --json --lang' ;;
            'shoe do dealer') words='-h --help --by --config --json --lang' ;;
            'shoe do void') words='-h --help --why --second --by --config --json --lang --yes' ;;
            'shoe do resolve') words='-h --help burn keep remove void accept continue end-shoe --why --second --by --config --json --lang --yes' ;;
            'shoe do correct') words='-h --help --missed --why --second --by --config --json --lang --yes' ;;
            'shoe do resend') words='-h --help --journal --since --from --to --by --config --json --lang' ;;
            'shoe do take-back') words='-h --help --by --config --json --lang' ;;
            'shoe do confirm') words='-h --help --by --config --json --lang' ;;
            'shoe enter') words='-h --help --second --by --config --json --lang' ;;
            'shoe status') words='-h --help --config --exit-code --json --lang' ;;
            'shoe watch') words='-h --help --config --json --plain --dealer --lang' ;;
            'shoe check') words='-h --help --config --json' ;;
            'shoe config') words='-h --help --config --json --unnamed --reference' ;;
            'shoe calibrate') words='-h --help reader cut-card lamps keypad codebook pack --yes --json --by --cards --undo --open-shoe --patience --config' ;;
            'shoe support') words='-h --help --config -o --out' ;;
            'shoe wiring') words='-h --help --config --json --svg' ;;
            'shoe retire') words='-h --help --config --table --yes --online' ;;
            'shoe journal') words='-h --help list show verify prove heads export' ;;
            'shoe journal list') words='-h --help --dir --config --json' ;;
            'shoe journal show') words='-h --help --dir --config --seq --json' ;;
            'shoe journal verify') words='-h --help --dir --config --replay --head --json --policy --jobs' ;;
            'shoe journal prove') words='-h --help --dir --config --note -o --output' ;;
            'shoe journal heads') words='-h --help --dir --config' ;;
            'shoe journal export') words='-h --help --dir --config -o --output' ;;
            'shoe key') words='-h --help new show rotate retire' ;;
            'shoe key new') words='-h --help --file --if-none' ;;
            'shoe key show') words='-h --help --config --qr' ;;
            'shoe key rotate') words='-h --help --config --file --by --second' ;;
            'shoe key retire') words='-h --help --config --file --by --second' ;;
            'shoe record') words='-h --help begin' ;;
            'shoe record begin') words='-h --help --config --file --by --second --why' ;;
            'shoe tls') words='-h --help join' ;;
            'shoe tls join') words='-h --help --port --ca --config' ;;
            'shoe bundle') words='-h --help verify install' ;;
            'shoe bundle verify') words='-h --help --rollback --unsigned' ;;
            'shoe bundle install') words='-h --help --rollback --unsigned --with' ;;
            'shoe schema') words='-h --help --asyncapi --reference' ;;
            'shoe help') words='-h --help --lang --man --completion technician first-round readers tables operators walkthrough releases keys audit incidents witness irregularities houses payouts config baccarat blackjack niuniu zhajinhua erbagang roads mqtt messages backend broker floor capacity facts small-house api forward page screen metrics doors nats fleet examples deal-script architecture contributing glossary changelog 3am update rollback correct correction corrections FULL STOPPED CALIBRATION NO_BROKER VIRTUAL_CUT MANUAL_ENTRY NO_JOURNAL OBSERVE fault reader_lost reader_fault unreadable sensor_stuck cut_card_missing broker_lost broker_fault disk_full disk_error journal_unread journal_damaged journal_missing cursor_error store_silent disk_low record_unsigned record_rolled_back keypad_lost keypad_not_understood reader_not_understood reader_unanswered shift gaming_day clock_jump NO_COLOR COLUMNS PAGER shoe-pit shoe-tech shoe-audit shoe-dealer shoe-bridge native angel-eye ssi grow rdm6300 line ready D values by ShoeEnded to code why reasons two_people two_heads two_keys new_birth rotation prev_null journal_number round_without_event closed_and_voided bad_checkpoint foreign unlisted flood hours other_code other_pi split_view rewritten certificate_ends second_login_due record_other_pi record_differs record_foreign overdrawn wrong_slot drawn_before_bets_closed drawn_before_mark missing_third duplicate face_up double_feed backwards jam cut_card_mid_round cut_card_early burn_short result_mismatch shoe_empty lid_opened restarted_mid_round reader_back reader_gap read_again reader_repeats internal_error unshuffled unknown_host refused timeout no_way file not_pem no_tls tls_silence not_trusted expired other_name wants_certificate certificate_refused tls no_connection login login_marks turned_away silence wants_tls hung_up hung_up_tls no_mqtt shared_name fell_silent ended broke broke_often broke_at_topic broke_at_message not_taken not_given no_puback no_suback announced too_large no_echo not_connected same_table files_changed no_thread crashed other_version client_id may_use may_write may_read starting overloaded banned stopping login_method heard_nothing bad_topic packet_limit message_rate quota administrator no_retained no_qos_1 other_server moved many_connect connect_time see_log wait_for_card disk_silent wait_for_disk journal_unwritable check_mount directory_unusable correct_directory free_space card_failing folder_in_place unconfirmed write_not_undone file_not_removed file_unconfirmed replace_disk journal_unreadable journals_missing port_gone port_disconnected host_disconnected port_stalled port_denied port_busy port_unusable no_reader no_serial_port no_address no_reader_answers reader_host_unknown reader_silent too_many_cards too_many_reports keypad_lost_often user no_user retain_missing qos_missing packets_of readers_found no_usb_reader bom zero_width no_break_space carriage_return line_end tab zero_byte utf_16 outer_space relabelled_third burn_over six-card burn close betting disclose after_cut virtual_cut cut_earliest new_shoe pit shifts policy vip squeeze payout exceptions commission tie rake insurance even_money h17 s17 soft17 surrender double das player banker banker_no_commission player_pair banker_pair either_pair perfect_pair player_dragon_bonus banker_dragon_bonus lucky_6 player_natural banker_natural tiger big_tiger small_tiger tiger_tie tiger_pair banker_four_blessings player_four_blessings banker_four_blessings_pair player_four_blessings_pair banker_black player_black banker_red player_red invincible_6 banker_char_siu player_char_siu small_cow big_cow tiger_cow wu_dalang fortune_7 golden_8 blazing_7s heavenly_9 cover_all win push lose five_small bomb five_face four_face bull_bull bull_9 bull_8 bull_7 bull_6 bull_5 bull_4 bull_3 bull_2 bull_1 no_bull white_pair pair 28 points pot leopard straight_flush id game decks language mode reveal_timeout fly_limit shoe_change_after shoe_change_minutes confirm_shuffle second_person procedure leading_ties row1_limit tiger_pair_top natural_bets seats max_hands split_by split_aces base grab bet hand_multiples grab_max order ties banker_per ante step top rounds bonus show good table differential BET protocol port baud code_book pattern hold repeats not_read min_quality most_a_second factory cut_card next reveal unmark lid presence buzzer lock SLOT LAMP dealer host root username password_file ca cert key live_odds commands order_window stored name allows dir keep_days max_mb warn_mb origin key_file sign_sealed witnesses pin active_low pull_up debounce_ms min_dwell_ms stuck_after fail_safe S H DD SP SU no_round late over unknown no_mark_due not_your_turn not_possible bad_amount peeked bust already_marked not_in_lot flush straight high_card special_235 not_enough_money bad_target long_banker long_player pairs single_jump hall_rooms_banker hall_rooms_player stick_banker stick_player alt_stick_banker alt_stick_player expected pays beside collected asked_hand in looked open_shoe close_shoe bets_open fly request_shoe_change request_dealer_change close_table bets_closed mark void resolve resend round event n of checkpoint witnessed status enter too_long shape unsigned unknown_key bad_signature count_ahead old_count as_of not_allowed not_yet floor_owner floor_ingest floor_reader floor_closer floor_forward block message round_latest gaps round_gaps conflicts quarantined closed_conflicts closed_quarantine closed heartbeat size pending leaves proved log record_key cosignature evidence shoes feed feed_end feed_taken fact_round ingest disk quarantine executemany COPY pg_dump gzip tbl journal shoe revision seq at day dealt_by outcome unit last staked house by_hand bets faces opened_at closed_at changed put net voided corrected since millis is_open detail choice by_name second what ended_at alarm person is_ok error entered cut_early taken_back topic one url kinds begin batch answer_s plain_http source type time sequence partitionkey data entry look act user_secret_file shoe_health_age_seconds shoe_build_info shoe_state shoe_mode shoe_clock_synchronised shoe_connections_total shoe_phase shoe_cards_left shoe_rounds_total shoe_alarm_open shoe_uptime_seconds shoe_outbox_entries shoe_cards_read_total shoe_reads_unread_total shoe_frames_bad_total shoe_reader_not_understood_total shoe_read_quality_ratio shoe_read_quality_calibrated_ratio shoe_reader_lamp_ratio shoe_reader_lamp_calibrated_ratio shoe_reader_ambient_ratio shoe_reader_temperature_celsius shoe_reader_forecast shoe_faults shoe_orders_refused_total shoe_certificate_days shoe_marks_taken_back_total shoe_shift_acts shoe_disk_free_bytes shoe_temperature_celsius shoe_undervoltage shoe_exporter_build_info shoe_exporter_connected shoe_exporter_tables shoe_exporter_messages_total shoe_exporter_unread_total shoe_exporter_ignored_total shoe_exporter_unlisted_total shoe_floor_store_readable shoe_floor_messages_total shoe_floor_conflicts_total shoe_floor_quarantine_total shoe_floor_gaps shoe_record_incidents shoe_floor_conflicts shoe_floor_quarantine shoe_ingest_heartbeat_age_seconds shoe_ingest_receives shoe_ingest_backlog shoe_floor_last_commit_age_seconds shoe_floor_newest_message_age_seconds shoe_floor_store_bytes shoe_floor_store_free_bytes shoe_floor_store_days_left shoe_record_size shoe_record_witnessed_size shoe_witness_age_seconds shoe_forward_behind shoe_forward_failing --tables --processes --every --minutes --engine --store --faults --witnesses --feed --puback --compact --growth --journals --out --seed command consumer_memory_storage v hint reply CommandAnswered KeyRefused IrregularityClosed CardHeld Noted fact_shoe todo Irregular ShoeOpened fact_alarm why_down shared run demo replay play roads odds do enter status watch check config calibrate support wiring retire journal key record tls bundle schema help' ;;
        esac
    fi
    [[ $path == 'shoe do' && ! $option && $cur == *_* ]] && words=${words//-/_}
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}
complete -o default -F _shoe shoe
