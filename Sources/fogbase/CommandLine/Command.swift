/// An option of one command that is no setting.
struct CommandOption {
    let flag: String
    /// What stands for its value in help texts; `nil` for a switch.
    let placeholder: String?
    let help: String
}

/// A command with what it takes.
struct Command {
    /// The words that name it, such as `users add`.
    let name: String
    let summary: String
    /// What its positional arguments are called in help texts.
    var operands: [String] = []
    var options: [CommandOption] = []
    /// The keys of the settings whose flags it takes; `nil` for none, not even `--config`.
    var settings: SettingSelection = .none
    /// Sentences below the tables of the help text.
    var notes: [String] = []

    enum SettingSelection {
        case none
        case all
        case some([String])
    }

    /// The settings whose flags the command takes.
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
        flag: "--config", placeholder: "FILE", help: "read settings from this file; environment and flags go above it")

    private static let place = ["data.path", "data.containers", "data.container", "data.environment"]

    static let all: [Command] = serving + saving + administering + managing + asking

    private static let serving: [Command] = [
        Command(
            name: "serve", summary: "start the server", settings: .all,
            notes: [
                "Each setting can also stand in the file, as section.key = value, and in the environment, as",
                "FOGBASE_SECTION_KEY. Flags go above the environment, and the environment above the file.",
            ]),
        Command(name: "version", summary: "print the versions of Fogbase and its libraries"),
        Command(
            name: "config", summary: "print every setting, its value and where that comes from", settings: .all),
        Command(
            name: "doctor", summary: "examine the data folder, also while a server uses it",
            options: DoctorCommand.options, settings: .some(["data.path"])),
        Command(
            name: "health", summary: "ask a running server whether it is ready; ends with 0 or 1",
            settings: .some(["server.host", "server.port"])),
    ]

    private static let saving: [Command] = [
        Command(
            name: "backup create", summary: "copy the data directory into a new one, also while a server uses it",
            operands: ["DEST"], options: [BackupCommand.copyAssets, json], settings: .some(place),
            notes: BackupCommand.createNotes),
        Command(
            name: "backup verify", summary: "examine a backup; ends with 0 if it is whole, or 1", operands: ["BACKUP"],
            options: [json], settings: .some([])),
        Command(
            name: "backup restore", summary: "put a backup into a data directory that no server uses",
            operands: ["BACKUP"], options: [BackupCommand.replace, json], settings: .some(["data.path"]),
            notes: BackupCommand.restoreNotes),
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
            name: "admin set-password", summary: "give an administrator another password, and end its sessions",
            operands: ["NAME"], options: [Password.option], settings: .some(place)),
        Command(
            name: "admin disable", summary: "end an administrator's sessions, and let it sign in no more",
            operands: ["NAME"], settings: .some(place)),
        Command(
            name: "admin enable", summary: "let an administrator sign in again", operands: ["NAME"],
            settings: .some(place)),
        Command(
            name: "admin remove", summary: "take away an administrator", operands: ["NAME"], settings: .some(place)),
    ]

    private static let managing: [Command] = [
        Command(name: "users list", summary: "print all accounts", options: [json], settings: .some(place)),
        Command(
            name: "users add", summary: "make an account", operands: ["NAME"], options: [Password.option],
            settings: .some(place)),
        Command(
            name: "users invite", summary: "make an invitation to sign up, and print it this once",
            options: OperatorCommand.invitationOptions, settings: .some(place)),
        Command(
            name: "users set-password", summary: "give an account another password, and end its sessions",
            operands: ["NAME"], options: [Password.option], settings: .some(place)),
        Command(
            name: "users disable", summary: "end an account's sessions, and let it sign in no more", operands: ["NAME"],
            settings: .some(place), notes: [userNote]),
        Command(
            name: "users enable", summary: "let an account sign in again", operands: ["NAME"],
            settings: .some(place), notes: [userNote]),
        Command(
            name: "users remove", summary: "take away an account with its private database", operands: ["NAME"],
            settings: .some(place), notes: [userNote]),
        Command(
            name: "roles list", summary: "print all custom roles and their members", options: [json],
            settings: .some(place)),
        Command(
            name: "roles add", summary: "take an account into a custom role", operands: ["ROLE", "USER"],
            options: [OperatorCommand.makeOption], settings: .some(place), notes: OperatorCommand.roleNotes),
        Command(
            name: "roles remove", summary: "take an account out of a custom role", operands: ["ROLE", "USER"],
            settings: .some(place), notes: OperatorCommand.roleNotes),
        Command(name: "keys list", summary: "print all API keys", options: [json], settings: .some(place)),
        Command(
            name: "keys add", summary: "make an API key, and print its token this once", operands: ["NAME"],
            options: OperatorCommand.keyOptions, settings: .some(place)),
        Command(
            name: "keys show", summary: "print what an API key may do, and when it was used", operands: ["KEY"],
            options: [json], settings: .some(place), notes: [keyNote]),
        Command(
            name: "keys rotate", summary: "give an API key a new token, and print it this once", operands: ["KEY"],
            options: [OperatorCommand.overlapOption], settings: .some(place), notes: [keyNote]),
        Command(
            name: "keys revoke", summary: "end an API key for good", operands: ["KEY"], settings: .some(place),
            notes: [keyNote]),
    ]

    private static let asking: [Command] = [
        Command(
            name: "access explain", summary: "tell what somebody may do, and by which rule",
            operands: ["CALLER", "ACTION", "[TYPE]"], options: OperatorCommand.explainOptions, settings: .some(place),
            notes: OperatorCommand.explainNotes),
        Command(
            name: "audit", summary: "print who changed what rights, the newest first",
            options: OperatorCommand.auditOptions, settings: .some(place)),
        Command(name: "help", summary: "print this text, or that of a command", operands: ["[COMMAND]"]),
    ]

    private static let json = OperatorCommand.json
    private static let userNote = "NAME is the name or the record name of the account."
    private static let keyNote = "KEY is the name or the id of the key."

    static func named(_ name: String) -> Command? {
        all.first { $0.name == name }
    }
}
