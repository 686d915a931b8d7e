"""Tools of single trades (embedded, games, data, science, documents, clouds): the same tables as `programs`, longer."""

from __future__ import annotations

from transcript_lint.commandline.model import Kind

K = Kind


def _rows(kind: Kind, names: str) -> dict[str, Kind]:
    return dict.fromkeys(names.split(), kind)


MORE_PROGRAMS: dict[str, Kind] = {
    **_rows(
        K.TEST,
        "wdio codeceptjs nightwatch gauge detox maestro xctool slather testem qunit bruno hurl tavern schemathesis",
    ),
    **_rows(
        K.TEST, "raco-test runghc hspec tasty doctest sbt-test specflow karate serenity testng junit-console conftest"
    ),
    **_rows(
        K.TEST, "pgtap pg_prove utplsql tsqlt mutmut pitest stryker infection cosmic-ray godog bunit shellspec ward"
    ),
    **_rows(
        K.BUILD, "scons waf xmake premake5 conan-build gn tup redo bazelisk please earthly dagger nuke cake fake mage"
    ),
    **_rows(
        K.BUILD,
        "jekyll eleventy gatsby docusaurus antora asciidoctor pandoc typst mdbook quarto bookdown sphinx-autobuild",
    ),
    **_rows(
        K.BUILD,
        "electron-builder electron-forge tauri expo eas fastlane-build cordova ionic pod-build nasm yasm ld ar dub",
    ),
    **_rows(
        K.BUILD,
        "emcc wasm-pack trunk protoc thrift flatc javadoc doxygen typedoc jsdoc gradlew-build nimble rebar3 shards",
    ),
    **_rows(
        K.BUILD,
        "docker-buildx nixos-rebuild nix-build dpkg-buildpackage rpmbuild snapcraft flatpak-builder makepkg debuild",
    ),
    **_rows(K.BUILD, "vivado quartus_sh yosys nextpnr verilator iverilog west arduino-builder elm elm-make spago purs"),
    **_rows(
        K.LINT,
        "ansible-lint cfn-lint kube-linter kubeval kubeconform checkov tfsec terrascan helm-docs polaris dotenv-linter",
    ),
    **_rows(
        K.LINT,
        "gosec snyk grype pip-audit safety osv-scanner npm-audit license-checker reuse addlicense proselint textlint",
    ),
    **_rows(
        K.LINT,
        "solhint slither mythril svlint verible-verilog-lint hlint ormolu fourmolu ktfmt google-java-format spotbugs",
    ),
    **_rows(
        K.LINT,
        "pmd errorprone scalastyle wartremover dialyzer styler lintr cpplint include-what-you-use iwyu buildifier",
    ),
    **_rows(
        K.LINT, "xmllint jsonlint ajv djlint erb_lint haml-lint slim-lint brakeman reek phpcs php-cs-fixer pint pylama"
    ),
    **_rows(K.TYPES, "phan flow-bin tsd attw steep typeprof sorbet-tc checkjs"),
    **_rows(
        K.CHECK, "lighthouse lhci pa11y axe backstop goss inspec terratest great_expectations soda pt-table-checksum"
    ),
    **_rows(K.CHECK, "curl-check smokeping nagios healthcheck.io k8s-health visudo nginx-t promtool amtool yamale"),
    **_rows(
        K.DEPLOY,
        "helmfile kustomize kapp flux oc cf surge now ecs-deploy ecs-cli eksctl aliyun tccli copilot chef-client",
    ),
    **_rows(
        K.DEPLOY, "puppet salt salt-call cap pm2-deploy rsync-deploy fabric fab gh-pages ghp-import mike sfdx clasp"
    ),
    **_rows(
        K.DEPLOY, "avrdude esptool esptool.py openocd st-flash dfu-util pyocd flashrom adb-install ideviceinstaller"
    ),
    **_rows(
        K.MIGRATE,
        "diesel sqlx sea-orm-cli refinery tern yoyo pgroll skeema bytebase pgloader mongo-migrate migrate-mongo",
    ),
    **_rows(
        K.SCRIPT,
        "ffmpeg ffprobe sox magick convert blender inkscape gimp handbrakecli mkvmerge yt-dlp exiftool gdal_translate",
    ),
    **_rows(
        K.SCRIPT,
        "ogr2ogr gdalwarp tippecanoe osmium osm2pgsql bcftools samtools bwa bowtie2 gatk star salmon kallisto blast",
    ),
    **_rows(
        K.SCRIPT,
        "blastp blastn gmx lmp simplefoam octave matlab sas stata spss gnuplot kallisto nextflow cwltool toil luigi",
    ),
    **_rows(
        K.SCRIPT,
        "dvc mlflow wandb kedro metaflow ray rclone aws-sync s3cmd gsutil azcopy mc lftp hadoop hdfs hive presto trino",
    ),
    **_rows(
        K.SCRIPT, "flink kafka-topics pg_restore mongoimport mongorestore bq snowsql duckdb clickhouse-local logstash"
    ),
    **_rows(
        K.SCRIPT,
        "rsync scp godot unity unity-editor ue4editor-cmd love renpy texturepacker aseprite slicer openscad gcode",
    ),
    **_rows(
        K.INSTALL,
        "conan vcpkg nuget paket carthage pod cocoapods mas asdf mise sdk rustup nvm-install snap flatpak pacman zypper",
    ),
    **_rows(
        K.INSTALL,
        "opam luarocks cpan cpanm R-install helm-plugin krew go-install stack-install cabal-install nix-env guix",
    ),
    **_rows(
        K.PUBLISH,
        "cargo-release gh-release npm-publish changesets lerna-publish pub-publish jfrog jf skopeo crane oras cosign",
    ),
    **_rows(
        K.BACKUP,
        "duplicity rdiff-backup bacula wal-g pgbackrest xtrabackup zfs-snapshot snapper timeshift kopia rustic",
    ),
    **_rows(K.SEND, "twilio sendgrid mailgun postmark ses apprise ntfy pushover slackcat gotify telegram-send"),
}
"""Program → kind, where no subcommand decides."""

MORE_SUBCOMMANDS: dict[str, dict[str, Kind]] = {
    "pio": {"run": K.BUILD, "test": K.TEST, "check": K.LINT, "upload": K.DEPLOY},
    "platformio": {"run": K.BUILD, "test": K.TEST, "check": K.LINT},
    "arduino-cli": {"compile": K.BUILD, "upload": K.DEPLOY, "lib": K.INSTALL, "core": K.INSTALL},
    "idf.py": {"build": K.BUILD, "flash": K.DEPLOY},
    "west": {"build": K.BUILD, "flash": K.DEPLOY, "twister": K.TEST},
    "pants": {"test": K.TEST, "lint": K.LINT, "check": K.TYPES, "package": K.BUILD, "fmt": K.LINT},
    "plz": {"test": K.TEST, "build": K.BUILD},
    "bazelisk": {"test": K.TEST, "build": K.BUILD, "run": K.SCRIPT},
    "rebar3": {"ct": K.TEST, "eunit": K.TEST, "compile": K.BUILD, "dialyzer": K.TYPES, "proper": K.TEST},
    "gleam": {"test": K.TEST, "build": K.BUILD, "check": K.TYPES, "format": K.LINT},
    "crystal": {"spec": K.TEST, "build": K.BUILD, "tool": K.LINT},
    "nimble": {"test": K.TEST, "build": K.BUILD, "install": K.INSTALL},
    "dub": {"test": K.TEST, "build": K.BUILD},
    "mill": {"test": K.TEST, "compile": K.BUILD},
    "scala-cli": {"test": K.TEST, "compile": K.BUILD},
    "spago": {"test": K.TEST, "build": K.BUILD},
    "raco": {"test": K.TEST, "make": K.BUILD},
    "meson": {"test": K.TEST, "compile": K.BUILD, "setup": K.BUILD, "install": K.INSTALL},
    "conan": {"create": K.BUILD, "build": K.BUILD, "install": K.INSTALL, "upload": K.PUBLISH},
    "opa": {"test": K.TEST, "check": K.CHECK, "fmt": K.LINT},
    "conftest": {"test": K.CHECK, "verify": K.TEST},
    "buf": {"lint": K.LINT, "generate": K.BUILD, "breaking": K.CHECK, "push": K.PUBLISH},
    "snyk": {"test": K.CHECK, "monitor": K.CHECK},
    "flux": {"reconcile": K.DEPLOY, "check": K.CHECK, "diff": K.PLAN, "get": K.READ},
    "helmfile": {
        "apply": K.DEPLOY,
        "sync": K.DEPLOY,
        "diff": K.PLAN,
        "lint": K.LINT,
        "destroy": K.DELETE,
        "test": K.TEST,
    },
    "kustomize": {"build": K.BUILD},
    "oc": {
        "apply": K.DEPLOY,
        "rollout": K.DEPLOY,
        "delete": K.DELETE,
        "get": K.READ,
        "logs": K.READ,
        "start-build": K.BUILD,
    },
    "nomad": {"run": K.DEPLOY, "job": K.DEPLOY, "plan": K.PLAN, "validate": K.CHECK, "status": K.READ},
    "cf": {"push": K.DEPLOY, "delete": K.DELETE, "logs": K.READ, "apps": K.READ},
    "puppet": {"apply": K.DEPLOY, "agent": K.DEPLOY, "parser": K.CHECK},
    "fastlane": {
        "test": K.TEST,
        "scan": K.TEST,
        "build": K.BUILD,
        "gym": K.BUILD,
        "beta": K.DEPLOY,
        "release": K.PUBLISH,
    },
    "eas": {"build": K.BUILD, "submit": K.PUBLISH, "update": K.DEPLOY},
    "expo": {"export": K.BUILD, "prebuild": K.BUILD, "start": K.SERVE},
    "tauri": {"build": K.BUILD, "dev": K.SERVE},
    "diesel": {"migration": K.MIGRATE},
    "sqlx": {"migrate": K.MIGRATE, "prepare": K.BUILD},
    "dotnet-ef": {"database": K.MIGRATE},
    "console": {"doctrine:migrations:migrate": K.MIGRATE, "lint:yaml": K.LINT, "cache:clear": K.SHELL},
    "knex": {"migrate:latest": K.MIGRATE, "seed:run": K.SCRIPT},
    "sequelize": {"db:migrate": K.MIGRATE},
    "goose": {"up": K.MIGRATE, "down": K.MIGRATE, "status": K.READ},
    "flyway": {"migrate": K.MIGRATE, "validate": K.CHECK, "info": K.READ, "repair": K.MIGRATE},
    "liquibase": {"update": K.MIGRATE, "validate": K.CHECK, "status": K.READ},
    "atlas": {"migrate": K.MIGRATE, "schema": K.MIGRATE},
    "sqlmesh": {"plan": K.PLAN, "run": K.SCRIPT, "test": K.TEST},
    "great_expectations": {"checkpoint": K.CHECK},
    "dvc": {"repro": K.SCRIPT, "push": K.PUBLISH, "pull": K.INSTALL, "status": K.READ},
    "mdbook": {"build": K.BUILD, "test": K.TEST, "serve": K.SERVE},
    "mkdocs": {"build": K.BUILD, "serve": K.SERVE, "gh-deploy": K.DEPLOY},
    "hugo": {"server": K.SERVE, "deploy": K.DEPLOY},
    "jekyll": {"build": K.BUILD, "serve": K.SERVE},
    "astro": {"build": K.BUILD, "check": K.TYPES, "dev": K.SERVE},
    "nuxt": {"build": K.BUILD, "generate": K.BUILD, "typecheck": K.TYPES, "dev": K.SERVE},
    "nuxi": {"build": K.BUILD, "generate": K.BUILD, "typecheck": K.TYPES},
    "svelte-check": {},
    "storybook": {"build": K.BUILD, "dev": K.SERVE},
    "quarto": {"render": K.BUILD, "publish": K.PUBLISH, "preview": K.SERVE},
    "hatch": {"build": K.BUILD, "publish": K.PUBLISH, "test": K.TEST, "run": K.SCRIPT, "fmt": K.LINT},
    "pdm": {"build": K.BUILD, "publish": K.PUBLISH, "install": K.INSTALL, "sync": K.INSTALL},
    "rush": {"build": K.BUILD, "rebuild": K.BUILD, "install": K.INSTALL, "update": K.INSTALL, "test": K.TEST},
    "nx": {"test": K.TEST, "build": K.BUILD, "lint": K.LINT, "e2e": K.TEST},
    "moon": {"run": K.SCRIPT, "check": K.CHECK, "ci": K.CHECK},
    "earthly": {},
    "ember": {"test": K.TEST, "build": K.BUILD},
    "truffle": {"test": K.TEST, "compile": K.BUILD, "migrate": K.DEPLOY},
    "hardhat": {"test": K.TEST, "compile": K.BUILD, "run": K.SCRIPT},
    "forge": {"test": K.TEST, "build": K.BUILD, "script": K.DEPLOY, "fmt": K.LINT},
    "anchor": {"test": K.TEST, "build": K.BUILD, "deploy": K.DEPLOY},
    "nixos-rebuild": {"switch": K.DEPLOY, "test": K.DEPLOY, "build": K.BUILD},
    "nix": {"build": K.BUILD, "flake": K.CHECK, "develop": K.SHELL},
    "mlflow": {"run": K.SCRIPT, "models": K.SCRIPT},
    "step": {},
    "promtool": {"check": K.CHECK, "test": K.TEST},
    "nginx": {"-t": K.CHECK},
    "act": {},
    "jf": {"rt": K.PUBLISH},
    "adb": {"install": K.DEPLOY, "shell": K.SCRIPT, "logcat": K.READ, "devices": K.READ},
    "R": {"CMD": K.CHECK},
}
"""Program → first word that is no option → kind; a program that is also above falls back on it."""
