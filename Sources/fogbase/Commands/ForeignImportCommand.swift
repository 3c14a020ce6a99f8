import CloudKitImport
import ForeignImport
import Glibc
import RecordModel
import RecordWire
import Threads

/// `fogbase import pocketbase`, `import parse` and `import ncmb`: converts the data set of another server into the file
/// of a container, and imports it.
struct ForeignImportCommand {
    private let source: ForeignSource
    private let arguments: Arguments
    private let configuration: Configuration

    // MARK: The command line

    static let output = CommandOption(
        flag: "--output", placeholder: "FILE", help: "write the file of a container, and import nothing")

    static let options = [
        output,
        CommandOption(
            flag: "--types", placeholder: "TYPES",
            help: "only the records of these types or classes, separated by commas; accounts and roles always"),
        CommandOption(
            flag: "--users", placeholder: "FILE",
            help: "lines of a user's identifier at the source, a comma, and an account that is here already"),
        CommandOption(
            flag: "--dry-run", placeholder: nil, help: "read everything, write nothing, and print the report"),
        OperatorCommand.json,
    ]

    static let files = CommandOption(
        flag: "--files", placeholder: "DIR",
        help: "the content of files, by their names; by default the directory 'files' of the export")

    static let notes = [
        "The exit code is 0 if everything was converted and imported, else 1.",
        "The manual's page 'Moving from other servers' describes each step.",
    ]

    private func option(_ flag: String) -> String? { arguments.options[flag] }

    private var isDryRun: Bool { option("--dry-run") != nil }

    static func run(
        _ source: ForeignSource, _ arguments: Arguments, _ configuration: Configuration
    ) throws(Failure) -> ExitCode {
        try ForeignImportCommand(source: source, arguments: arguments, configuration: configuration).run()
    }

    private func run() throws(Failure) -> ExitCode {
        var options = ConversionOptions()
        if let types = option("--types") {
            options.types = Set(types.split(separator: ",").map { String($0.trimmed) }.filter { !$0.isEmpty })
        }
        options.files = option("--files")
        if let path = option("--users") { options.users = try accounts(in: path) }
        let path = option(Self.output.flag)
        if isDryRun, path != nil {
            throw .usage("--dry-run writes no file. Give --dry-run or \(Self.output.flag), not both.")
        }
        let file = isDryRun ? nil : try ConvertedFile(path)
        let report: ConversionReport
        do throws(ConversionError) {
            let writer = try ContainerWriter(head, keepsData: !isDryRun) { bytes throws(ConversionError) in
                try file?.append(bytes)
            }
            report = try source.convert(arguments.operands, options, to: writer)
            try file?.finish()
        } catch {
            throw Failure([error.description, "Nothing was imported."], code: .failure)
        }
        if option(OperatorCommand.json.flag) != nil {
            OperatorCommand.print(report.json)
        } else {
            let place = arguments.operands.joined(separator: ", ")
            for line in ForeignReportText.lines(of: report, path: place, isDryRun: isDryRun) { Terminal.say(line) }
        }
        if let file, path == nil {
            let code = try importContainer(at: file.path)
            guard code == .success else { return code }
        }
        return report.isComplete ? .success : .failure
    }

    /// Imports the file of a container, as `fogbase import FILE` does.
    private func importContainer(at path: String) throws(Failure) -> ExitCode {
        let way = try Operator(configuration)
        var arguments = arguments
        // The report of the conversion has the user's options.
        arguments.options = arguments.options.filter { $0.key == OperatorCommand.json.flag }
        let command = OperatorCommand(name: "import", arguments: arguments, way: way)
        do throws(Failure) {
            let code = try ImportFileCommand(command: command, path: path).run()
            way.close()
            return code
        } catch {
            way.close()
            throw error
        }
    }

    private var head: ContainerWriter.Head {
        ContainerWriter.Head(
            container: configuration.settings.requestContainer,
            environment: configuration.settings.environment == .production ? "production" : "development",
            time: WallClock.milliseconds, program: "Fogbase \(Version.text)")
    }

    /// Returns the record names of accounts that are here, by the identifiers of users of the source.
    private func accounts(in path: String) throws(Failure) -> [String: String] {
        let pairs = try ImportCommand.usersFile(path)
        var accounts: [String: String] = [:]
        for pair in pairs where UserRecordName(pair.account) != nil { accounts[pair.source] = pair.account }
        let named = pairs.filter { accounts[$0.source] == nil }
        guard !named.isEmpty else { return accounts }
        let way = try Operator(configuration)
        let users = OperatorCommand(name: "import \(source.rawValue)", arguments: arguments, way: way)
        return try accounts.merging(ImportCommand.accounts(named, users)) { $1 }
    }
}

/// The file that a conversion writes, or a temporary one.
final class ConvertedFile {
    /// The file, which is complete after `finish`.
    let path: String
    private let partial: String
    private let descriptor: Int32
    private let isTemporary: Bool

    /// Creates a file.
    ///
    /// - Parameter path: The name, which must be free; `nil` for a temporary file without a name, which ends with the
    ///   process.
    init(_ path: String?) throws(Failure) {
        isTemporary = path == nil
        if let path {
            guard access(path, F_OK) != 0 else {
                throw Failure("\(path) exists already. Name another file, or delete it.")
            }
            self.path = path
            partial = path + ".partial"
            descriptor = open(partial, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard descriptor >= 0 else { throw Failure("\(partial) cannot be created: \(SystemError.text).") }
        } else {
            let directory = getenv("TMPDIR").map { String(cString: $0) } ?? "/var/tmp"
            var template = Array("\(directory)/fogbase-import-XXXXXX".utf8CString)
            descriptor = mkstemp(&template)
            guard descriptor >= 0 else {
                throw Failure(
                    "No file can be created in \(directory): \(SystemError.text). TMPDIR names another place.")
            }
            partial = ""
            // Without a name, it ends with the process in every case.
            unlink(template)
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            self.path = "/proc/self/fd/\(descriptor)"
        }
    }

    deinit {
        close(descriptor)
        if !partial.isEmpty { unlink(partial) }
    }

    func append(_ bytes: [UInt8]) throws(ConversionError) {
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure("written") }
            written += count
        }
    }

    /// Gives the file its name.
    func finish() throws(ConversionError) {
        guard !isTemporary else { return }
        guard fsync(descriptor) == 0, rename(partial, path) == 0 else { throw failure("completed") }
    }

    private func failure(_ word: String) -> ConversionError {
        ConversionError(
            isTemporary ? "the converted file" : partial,
            "The file cannot be \(word): \(SystemError.text)\(isTemporary ? ". TMPDIR names another place" : "")")
    }
}
