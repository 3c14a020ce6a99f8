/// An option of one command that is not a setting.
struct CommandOption {
    let flag: String
    /// The name of the option's value in help texts; `nil` for a switch.
    let placeholder: String?
    let help: String
}

/// A command with its options.
struct Command {
    /// The words of the command, such as `users add`.
    let name: String
    let summary: String
    /// The names of the positional arguments in help texts. Names in brackets are optional. The last one may be repeated
    /// if its name has an ellipsis.
    var operands: [String] = []
    var options: [CommandOption] = []
    /// The settings whose flags the command accepts. A command with `none` does not accept `--config` either.
    var settings: SettingSelection = .none
    /// Sentences below the tables of the help text.
    var notes: [String] = []

    enum SettingSelection {
        case none
        case all
        case some([String])
    }

    /// The settings whose flags the command accepts.
    var acceptedSettings: [Setting] {
        switch settings {
        case .none: []
        case .all: Setting.all
        case .some(let keys): Setting.all.filter { keys.contains($0.key) }
        }
    }

    var takesConfiguration: Bool {
        if case .none = settings { false } else { true }
    }

    static let config = CommandOption(
        flag: "--config", placeholder: "FILE", help: "read settings from this file; environment and flags override it")

    private static let place = ["data.path", "data.containers", "data.container", "data.environment"]

    static let all: [Command] =
        serving + saving + importing + administering + managing + modeling + controlling + asking

    private static let serving: [Command] = [
        Command(
            name: "serve", summary: "start the server", settings: .all,
            notes: [
                "Each setting can also be in the file, as section.key = value, and in the environment, as",
                "FOGBASE_SECTION_KEY. Flags override the environment, and the environment overrides the file.",
            ]),
        Command(name: "version", summary: "print the versions of Fogbase and its libraries"),
        Command(
            name: "config", summary: "print every setting with its value and source", settings: .all),
        Command(
            name: "doctor", summary: "check the data directory, also while a server uses it",
            options: DoctorCommand.options, settings: .some(["data.path"])),
        Command(
            name: "health", summary: "check whether a running server is ready; exits with 0 or 1",
            settings: .some(["server.host", "server.port", "tls.certificate", "tls.key"])),
    ]

    private static let saving: [Command] = [
        Command(
            name: "backup create", summary: "back up the data directory, also while a server uses it",
            operands: ["DEST"], options: [BackupCommand.copyAssets, json], settings: .some(place),
            notes: BackupCommand.createNotes),
        Command(
            name: "backup verify", summary: "check a backup; exits with 0 if it is complete, else 1",
            operands: ["BACKUP"], options: [json], settings: .some(["data.path"]),
            notes: BackupCommand.verifyNotes),
        Command(
            name: "backup restore", summary: "restore a backup into a data directory that no server uses",
            operands: ["BACKUP"], options: [BackupCommand.replace, json], settings: .some(["data.path"]),
            notes: BackupCommand.restoreNotes),
    ]

    private static let importing: [Command] = [
        Command(
            name: "import", summary: "write the records of a CSV or JSON Lines file to the running server",
            operands: ["FILE"], options: TransferOptions.importing, settings: .some(place),
            notes: TransferOptions.importNotes),
        Command(
            name: "export", summary: "write everything, or the records of a type, to a file", operands: ["[TYPE]"],
            options: TransferOptions.exporting, settings: .some(place), notes: TransferOptions.exportNotes),
        Command(
            name: "import cloudkit", summary: "copy a database of CloudKit to the running server, and catch up later",
            options: ImportCommand.options, settings: .some(place), notes: ImportCommand.notes),
        Command(
            name: "import pocketbase", summary: "import a data directory of PocketBase", operands: ["DIR"],
            options: ForeignImportCommand.options, settings: .some(place), notes: ForeignImportCommand.notes),
        Command(
            name: "import parse", summary: "import an export of Parse Server, as JSON or by mongoexport",
            operands: ["PATH…"], options: ForeignImportCommand.options + [ForeignImportCommand.files],
            settings: .some(place), notes: ForeignImportCommand.notes),
        Command(
            name: "import ncmb", summary: "import an export of NCMB, a JSON file for each class",
            operands: ["PATH…"], options: ForeignImportCommand.options + [ForeignImportCommand.files],
            settings: .some(place), notes: ForeignImportCommand.notes),
    ]

    private static let administering: [Command] = [
        Command(name: "admin list", summary: "print all administrators", options: [json], settings: .some(place)),
        Command(
            name: "admin add", summary: "add an administrator who signs in by name", operands: ["NAME"],
            options: [OperatorCommand.roleOption, Password.option], settings: .some(place)),
        Command(
            name: "admin set-role", summary: "make an administrator an owner, developer, editor or viewer",
            operands: ["NAME", "ROLE"], settings: .some(place)),
        Command(
            name: "admin set-password", summary: "set an administrator's password, and end all sessions",
            operands: ["NAME"], options: [Password.option], settings: .some(place)),
        Command(
            name: "admin disable", summary: "end an administrator's sessions, and deny further sign-ins",
            operands: ["NAME"], settings: .some(place)),
        Command(
            name: "admin enable", summary: "let an administrator sign in again", operands: ["NAME"],
            settings: .some(place)),
        Command(
            name: "admin remove", summary: "remove an administrator", operands: ["NAME"], settings: .some(place)),
    ]

    private static let managing: [Command] = [
        Command(name: "users list", summary: "print all accounts", options: [json], settings: .some(place)),
        Command(
            name: "users add", summary: "create an account", operands: ["NAME"], options: [Password.option],
            settings: .some(place)),
        Command(
            name: "users invite", summary: "create an invitation to sign up, and print its token once",
            options: OperatorCommand.invitationOptions, settings: .some(place)),
        Command(
            name: "users set-password", summary: "set an account's password, and end all sessions",
            operands: ["NAME"], options: [Password.option], settings: .some(place)),
        Command(
            name: "users disable", summary: "end an account's sessions, and deny further sign-ins", operands: ["NAME"],
            settings: .some(place), notes: [userNote]),
        Command(
            name: "users enable", summary: "let an account sign in again", operands: ["NAME"],
            settings: .some(place), notes: [userNote]),
        Command(
            name: "users remove", summary: "remove an account and its private database", operands: ["NAME"],
            settings: .some(place), notes: [userNote]),
        Command(
            name: "roles list", summary: "print all custom roles and their members", options: [json],
            settings: .some(place)),
        Command(
            name: "roles add", summary: "add an account to a custom role", operands: ["ROLE", "USER"],
            options: [OperatorCommand.makeOption], settings: .some(place), notes: OperatorCommand.roleNotes),
        Command(
            name: "roles remove", summary: "remove an account from a custom role", operands: ["ROLE", "USER"],
            settings: .some(place), notes: OperatorCommand.roleNotes),
        Command(name: "keys list", summary: "print all keys and API tokens", options: [json], settings: .some(place)),
        Command(
            name: "keys add", summary: "create an API key, a server-to-server key or an API token", operands: ["NAME"],
            options: OperatorCommand.keyOptions, settings: .some(place)),
        Command(
            name: "keys show", summary: "print the settings and last use of a key or API token", operands: ["KEY"],
            options: [json], settings: .some(place), notes: [keyNote]),
        Command(
            name: "keys rotate", summary: "create a new token for an API key, and print it once", operands: ["KEY"],
            options: [OperatorCommand.overlapOption], settings: .some(place), notes: [keyNote]),
        Command(
            name: "keys revoke", summary: "revoke a key or delete an API token permanently", operands: ["KEY"],
            settings: .some(place),
            notes: [keyNote]),
    ]

    private static let schemaPlace = ["data.path", "data.containers", "data.container"]

    private static let modeling: [Command] = [
        Command(
            name: "schema export", summary: "print the schema in CloudKit's schema language",
            options: [SchemaCommand.container, SchemaCommand.output, SchemaCommand.token], settings: .some(place)),
        Command(
            name: "schema import", summary: "make the schema what a file says",
            options: [
                SchemaCommand.container, SchemaCommand.file, SchemaCommand.validate, SchemaCommand.keepRights,
                SchemaCommand.token, json,
            ], settings: .some(place), notes: SchemaCommand.importNotes),
        Command(
            name: "schema validate", summary: "check a file, and print what an import would change",
            options: [
                SchemaCommand.container, SchemaCommand.file, SchemaCommand.keepRights, SchemaCommand.token, json,
            ], settings: .some(place), notes: SchemaCommand.importNotes),
        Command(
            name: "schema diff",
            summary: "print how development differs from production, or a file from the schema; exits with 0 or 1",
            options: [SchemaCommand.container, SchemaCommand.file, SchemaCommand.token], settings: .some(place)),
        Command(
            name: "schema rename", summary: "give a field or a record type another name", operands: ["NAME", "NEW"],
            options: [SchemaCommand.container, SchemaCommand.token, json], settings: .some(place),
            notes: SchemaCommand.renameNotes),
        Command(
            name: "schema promote", summary: "make the schema of production that of development",
            options: [
                SchemaCommand.container, SchemaCommand.dryRun, SchemaCommand.dropFields, SchemaCommand.keepRights,
                SchemaCommand.token, json,
            ], settings: .some(schemaPlace), notes: SchemaCommand.promoteNotes),
        Command(
            name: "schema snapshots", summary: "print the schemas before promotions, rollbacks and resets",
            options: [SchemaCommand.container, SchemaCommand.token, json], settings: .some(place)),
        Command(
            name: "schema rollback", summary: "bring an earlier schema back", operands: ["SNAPSHOT"],
            options: [
                SchemaCommand.container, SchemaCommand.dryRun, SchemaCommand.keepRights, SchemaCommand.token, json,
            ], settings: .some(place), notes: SchemaCommand.rollbackNotes),
        Command(
            name: "schema reset", summary: "make the schema of development that of production",
            options: [
                SchemaCommand.container, SchemaCommand.dryRun, SchemaCommand.deleteRecords, SchemaCommand.keepRights,
                SchemaCommand.token, json,
            ], settings: .some(schemaPlace), notes: SchemaCommand.resetNotes),
    ]

    private static let controlling: [Command] = [
        Command(
            name: "jobs list", summary: "print all jobs, newest first", options: [JobsCommand.unfinished, json],
            settings: .some(place)),
        Command(
            name: "jobs show", summary: "print what a job does and how far it is", operands: ["ID"], options: [json],
            settings: .some(place), notes: [JobsCommand.idNote]),
        Command(
            name: "jobs watch", summary: "follow a job until it ends, with a progress bar", operands: ["ID"],
            options: [JobsCommand.jsonLines], settings: .some(place), notes: JobsCommand.watchNotes),
        Command(
            name: "jobs pause", summary: "stop a job until it is resumed", operands: ["ID"], settings: .some(place),
            notes: JobsCommand.controlNotes),
        Command(
            name: "jobs resume", summary: "continue a paused job", operands: ["ID"], settings: .some(place),
            notes: [JobsCommand.idNote]),
        Command(
            name: "jobs cancel", summary: "end a job", operands: ["ID"], settings: .some(place),
            notes: JobsCommand.controlNotes),
        Command(
            name: "jobs delete", summary: "delete a job that has ended, and its file", operands: ["ID"],
            settings: .some(place), notes: [JobsCommand.idNote]),
    ]

    private static let asking: [Command] = [
        Command(
            name: "changes", summary: "print the changes of a database as JSON lines, and follow them",
            options: ChangesCommand.options, settings: .some(place), notes: ChangesCommand.notes),
        Command(
            name: "access explain", summary: "explain whether a caller may do something, and why",
            operands: ["CALLER", "ACTION", "[TYPE]"], options: OperatorCommand.explainOptions, settings: .some(place),
            notes: OperatorCommand.explainNotes),
        Command(
            name: "audit", summary: "print the audit log, newest entries first",
            options: OperatorCommand.auditOptions, settings: .some(place)),
        Command(name: "help", summary: "print this text, or the help of a command", operands: ["[COMMAND]"]),
        Command(
            name: "completion", summary: "print a script for tab completion in a shell",
            operands: ["bash|zsh|fish", "[WORD…]"], notes: Completion.notes),
    ]

    private static let json = OperatorCommand.json
    private static let userNote = "NAME is the name or the record name of the account."
    private static let keyNote = "KEY is the name or the id of the key."

    static func named(_ name: String) -> Command? {
        all.first { $0.name == name }
    }
}
