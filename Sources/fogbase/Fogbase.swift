import Glibc

/// The program: takes the command line apart, runs the command, and ends with its code.
@main
struct Fogbase {
    static func main() {
        // What a command makes is its owner's alone.
        umask(0o077)
        let code = run(Array(CommandLine.arguments.dropFirst()), environment: ProcessEnvironment.all)
        // All that has to last is on the disk. `exit` would also have libraries take down what threads that are just
        // ending still use; memory was freed twice at such an end once.
        fflush(nil)
        _exit(code.rawValue)
    }

    /// Runs one command line.
    static func run(_ words: [String], environment: [String: String]) -> ExitCode {
        do throws(Failure) {
            let arguments = try Arguments(words)
            switch arguments.request {
            case .help(let topic):
                for line in Help.lines(for: topic) { Terminal.say(line) }
                return .success
            case .run(let command):
                return try perform(command, arguments, environment)
            }
        } catch {
            for sentence in error.sentences { Terminal.complain("fogbase: " + sentence) }
            return error.code
        }
    }

    private static func perform(
        _ command: Command, _ arguments: Arguments, _ environment: [String: String]
    ) throws(Failure) -> ExitCode {
        guard command.takesConfiguration else {
            // `help` was answered before; what is left without configuration is this one.
            VersionCommand.run()
            return .success
        }
        let configuration = try Configuration(
            file: arguments.options[Command.config.flag], flags: arguments.settings, environment: environment,
            read: TextFile.read)
        switch command.name {
        case "serve": return try ServeCommand.run(configuration)
        case "config":
            for line in configuration.listing { Terminal.say(line) }
            return .success
        case "doctor":
            return try DoctorCommand.run(
                configuration.settings, isQuick: arguments.options["--quick"] != nil,
                repairs: arguments.options["--repair"] != nil)
        case "backup create": return try BackupCommand.create(arguments, configuration)
        case "backup verify": return try BackupCommand.verify(arguments)
        case "backup restore": return try BackupCommand.restore(arguments, configuration.settings)
        case "health": return HealthCommand.run(configuration.settings)
        default: return try OperatorCommand.run(command, arguments, configuration)
        }
    }
}
