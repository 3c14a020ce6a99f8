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

    static let all: [Command] = [
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
            options: [
                CommandOption(
                    flag: "--quick", placeholder: nil,
                    help: "skip the comparison of indexes with tables and the examination of each record")
            ],
            settings: .some(["data.path"])),
        Command(
            name: "users list", summary: "print all accounts, also while a server runs", settings: .some(place)),
        Command(
            name: "users add", summary: "make an account", operands: ["NAME"], options: [passwordFile],
            settings: .some(place)),
        Command(
            name: "users remove", summary: "take away an account with its private database", operands: ["NAME"],
            settings: .some(place)),
        Command(
            name: "users set-password", summary: "give an account another password, and end its sessions",
            operands: ["NAME"], options: [passwordFile], settings: .some(place)),
        Command(
            name: "health", summary: "ask a running server whether it is ready; ends with 0 or 1",
            settings: .some(["server.host", "server.port"])),
        Command(name: "help", summary: "print this text, or that of a command", operands: ["[COMMAND]"]),
    ]

    private static let passwordFile = CommandOption(
        flag: "--password-file", placeholder: "FILE",
        help: "take the password from the first line of a file; without it, it is asked for or read from standard input"
    )

    static func named(_ name: String) -> Command? {
        all.first { $0.name == name }
    }
}
