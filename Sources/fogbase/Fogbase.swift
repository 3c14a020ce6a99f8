import ForeignImport
import Glibc

/// The program. It parses the command line, runs the command, and exits with the command's exit code.
@main
struct Fogbase {
    static func main() {
        // Files that a command creates are accessible only to their owner.
        umask(0o077)
        let code = run(Array(CommandLine.arguments.dropFirst()), environment: ProcessEnvironment.all)
        // All durable data is on disk. `exit` would also run the exit handlers of libraries, which free memory. Threads
        // that are ending may still use this memory (observed: a double free).
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
            // `help` is handled above; `completion` and `version` are the other commands without configuration.
            if command.name == "completion" { try Completion.run(arguments.operands) } else { VersionCommand.run() }
            return .success
        }
        let configuration = try Configuration(
            file: arguments.options[Command.config.flag], flags: arguments.settings, environment: environment,
            read: { try TextFile.read($0) })
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
        case "backup verify": return try BackupCommand.verify(arguments, configuration)
        case "backup restore": return try BackupCommand.restore(arguments, configuration.settings)
        case "import cloudkit": return try ImportCommand.run(arguments, configuration)
        case "import pocketbase": return try ForeignImportCommand.run(.pocketbase, arguments, configuration)
        case "import parse": return try ForeignImportCommand.run(.parse, arguments, configuration)
        case "import ncmb": return try ForeignImportCommand.run(.ncmb, arguments, configuration)
        case "health": return HealthCommand.run(configuration.settings)
        default: return try OperatorCommand.run(command, arguments, configuration)
        }
    }
}
