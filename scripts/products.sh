# Sourced by scripts/install: the two products, the shoe's bridge and the back office, each a list of what it has where.

# files: file in systemd/, place on the machine. links: path in the environment, link on the machine.
choose_firmware-bridge() {
    module=firmware_bridge command=shoe lock=pi user=shoe-bridge records='the journals'
    config=/etc/firmware-bridge/bridge.toml
    units=(firmware-bridge)
    when='between two shoes'
    wanted='write [table] id and [record] origin (a record keeps its name)'
    files=(
        firmware-bridge.service /etc/systemd/system/firmware-bridge.service
        sysusers.conf /etc/sysusers.d/firmware-bridge.conf
        tmpfiles.conf /etc/tmpfiles.d/firmware-bridge.conf
        modules.conf /etc/modules-load.d/firmware-bridge.conf
        90-shoe-reader.rules /etc/udev/rules.d/90-shoe-reader.rules
    )
    links=(
        bin/shoe /usr/local/bin/shoe
        share/man/man1/shoe.1 /usr/local/share/man/man1/shoe.1
        share/man/man5/bridge.toml.5 /usr/local/share/man/man5/bridge.toml.5
        share/bash-completion/completions/shoe /usr/local/share/bash-completion/completions/shoe
        share/doc/firmware-bridge /usr/local/share/doc/firmware-bridge
    )
}

choose_shoe-floor() {
    module=firmware_bridge.floor command=shoe-floor lock=shoe-floor user=shoe-floor records='the store'
    config=/etc/firmware-bridge/floor.toml
    units=(shoe-floor-ingest shoe-floor-page shoe-floor-metrics shoe-floor-forward shoe-floor-witness)
    when='the tables keep what it misses'
    wanted="write the broker's address and login"
    files=(
        shoe-floor-ingest.service /etc/systemd/system/shoe-floor-ingest.service
        shoe-floor-page.service /etc/systemd/system/shoe-floor-page.service
        shoe-floor-metrics.service /etc/systemd/system/shoe-floor-metrics.service
        shoe-floor-forward.service /etc/systemd/system/shoe-floor-forward.service
        shoe-floor-witness.service /etc/systemd/system/shoe-floor-witness.service
        shoe-floor-compact.service /etc/systemd/system/shoe-floor-compact.service
        shoe-floor-compact.timer /etc/systemd/system/shoe-floor-compact.timer
        shoe-floor-sysusers.conf /etc/sysusers.d/shoe-floor.conf
        shoe-floor-tmpfiles.conf /etc/tmpfiles.d/shoe-floor.conf
    )
    links=(
        bin/shoe-floor /usr/local/bin/shoe-floor
        share/man/man1/shoe-floor.1 /usr/local/share/man/man1/shoe-floor.1
        share/bash-completion/completions/shoe-floor /usr/local/share/bash-completion/completions/shoe-floor
        share/man/man1/shoe-floor.1 /usr/local/share/man/man1/shoe-floor.1
        share/bash-completion/completions/shoe-floor /usr/local/share/bash-completion/completions/shoe-floor
        share/doc/shoe-floor /usr/local/share/doc/shoe-floor
    )
}

print_todo_firmware-bridge() {
    cat <<EOT

Installed. What is left to do:
  1. Write into $config: [table] id, this table's name; [record] origin, a domain of
     the house, which the record keeps from the first start on; the reader, the pins
  2. Broker password, if it has one: /etc/credstore/firmware-bridge.mqtt-password, then chmod 600
  3. sudo shoe check
  4. sudo systemctl enable --now firmware-bridge
  5. sudo shoe status; the log: journalctl -u firmware-bridge
  6. sudo shoe key show: the public key of its record, for whoever will verify it
What to do at 3 a.m.: shoe help 3am. The way to the first round: shoe help first-round
EOT
}

print_todo_shoe-floor() {
    cat <<EOT

Installed. What is left to do:
  1. Write the broker's address and login into $config
  2. Broker passwords, if it has any: /etc/credstore/shoe-floor.mqtt-password and shoe-floor.page-password, then chmod 600
  3. sudo systemctl enable --now shoe-floor-ingest shoe-floor-page; for Prometheus shoe-floor-metrics too
  4. sudo shoe-floor check; the log: journalctl -u shoe-floor-ingest
Only to witness other people's tables: /usr/local/share/doc/shoe-floor/witness.md
The whole of it: /usr/local/share/doc/shoe-floor/floor.md
EOT
}
