import CloudKitImport
import Cryptography
import Glibc
import HTTP
import RecordEngine
import RecordModel
import RecordWire
import Threads

/// `fogbase import cloudkit`: copies the records of a database of CloudKit to a running server.
struct ImportCommand {
    private let arguments: Arguments
    private let configuration: Configuration

    // MARK: The command line

    static let options = [
        CommandOption(
            flag: "--source-container", placeholder: "NAME",
            help: "the container at the source, such as iCloud.org.example.App"),
        CommandOption(
            flag: "--source-environment", placeholder: "NAME", help: "development or production (production)"),
        CommandOption(
            flag: "--source-url", placeholder: "URL", help: "the source (https://api.apple-cloudkit.com)"),
        CommandOption(
            flag: "--key-id", placeholder: "ID", help: "for the public database: the ID of a server-to-server key"),
        CommandOption(
            flag: "--private-key", placeholder: "FILE", help: "the private key of --key-id, as PEM"),
        CommandOption(
            flag: "--api-token", placeholder: "TOKEN", help: "for a private database: an API token of the source"),
        CommandOption(
            flag: "--web-auth-token-file", placeholder: "FILE",
            help: "the web auth token of the user; the command writes each next one into the file"),
        CommandOption(
            flag: "--owner", placeholder: "USER",
            help: "copy the user's private database, to the account with this name; otherwise the public database"),
        CommandOption(
            flag: "--schema", placeholder: "FILE", help: "first import this schema, as 'fogbase schema import' does"),
        CommandOption(
            flag: "--types", placeholder: "TYPES", help: "only these types of the default zone, separated by commas"),
        CommandOption(
            flag: "--users", placeholder: "FILE",
            help: "lines of a user's record name at the source, a comma, and an account here"),
        CommandOption(
            flag: "--state", placeholder: "FILE",
            help: "what the command remembers; by default in the working directory"),
        CommandOption(
            flag: "--dry-run", placeholder: nil, help: "read everything, write nothing, and print the report"),
        OperatorCommand.json,
    ]

    static let notes = [
        "A server must run. Ctrl-C stops the command, and the same command continues. After the end, the same command",
        "reads what has changed since. The exit code is 0 if all records were carried over, else 1.",
        "The manual's page 'Moving from CloudKit' describes each step.",
    ]

    private static let apple = "https://api.apple-cloudkit.com"

    private func option(_ flag: String) -> String? { arguments.options[flag] }

    private var isDryRun: Bool { option("--dry-run") != nil }

    static func run(_ arguments: Arguments, _ configuration: Configuration) throws(Failure) -> ExitCode {
        // Block the signals before any thread starts.
        let stop = StopSignal()
        return try ImportCommand(arguments: arguments, configuration: configuration).run(stop)
    }

    private func run(_ stop: StopSignal) throws(Failure) -> ExitCode {
        // Mistakes on the command line are found before anything is sent.
        let source = try sourceDatabase()
        let credential = try credential(isPrivate: source.isPrivate)
        let pairs = try option("--users").map(Self.usersFile) ?? []
        if let path = option("--schema") { try SchemaCommand.checkFile(at: path) }
        let way = try Operator(configuration)
        guard way.isServed else { throw OperatorTarget.stopped(configuration) }
        let users = OperatorCommand(name: "import cloudkit", arguments: arguments, way: way)
        let owner = try option("--owner").map { name throws(Failure) in
            try users.user(name).text("userRecordName")
        }
        let identity = ImportIdentity(source: source, target: way.scopeText, owner: owner)
        let path = option("--state") ?? Self.statePath(of: source, owner: option("--owner"))
        let journal = try ImportJournal(path, of: identity, isReadOnly: isDryRun)
        // A later run must not undo what was changed here since the first one.
        if let file = option("--schema"), journal.state.run == 0 { try importSchema(file, through: way) }
        var options = Importer.Options(types: try types(way))
        options.isDryRun = isDryRun
        options.users = UserMap(try Self.accounts(pairs, users))
        let files = ImportFiles(beside: path)
        try files.prepare()
        defer { files.remove() }
        let work = ImportWork(
            configuration: configuration, source: source, credential: credential, owner: owner, options: options,
            journal: journal, http: SourceHTTP(source.url, directory: files.directory),
            tokenFile: option("--web-auth-token-file"))
        let report: ImportReport
        do throws(ImportError) {
            report = try work.run(until: stop)
        } catch {
            throw failure(error, path: path)
        }
        if option(OperatorCommand.json.flag) != nil {
            OperatorCommand.print(report.json)
        } else {
            for line in ImportReportText.lines(of: report, source: source) { Terminal.say(line) }
        }
        return report.isComplete ? .success : .failure
    }

    private func failure(_ error: ImportError, path: String) -> Failure {
        switch error {
        case .interrupted:
            Failure(
                isDryRun
                    ? ["Interrupted. Nothing was written."]
                    : ["Interrupted. Run the same command again to continue; what is done is in \(path)."],
                code: .interrupted)
        case .failed(let sentences): Failure(sentences, code: .failure)
        case .rejected(let code, let reason): Failure("The request was rejected: \(code), \(reason).")
        }
    }

    private static func statePath(of source: SourceDatabase, owner: String?) -> String {
        let name = [source.container, source.environment, owner ?? "public"].joined(separator: ".")
        return "import-" + name.map { $0.isLetter || $0.isNumber || ".-_".contains($0) ? $0 : "_" } + ".state"
    }

    // MARK: The source

    private func sourceDatabase() throws(Failure) -> SourceDatabase {
        guard let container = option("--source-container"), !container.isEmpty,
            container.utf8.allSatisfy({ $0 < 128 }), !container.contains("/")
        else {
            throw .usage("'fogbase import cloudkit' needs --source-container, such as iCloud.org.example.App.")
        }
        let environment = option("--source-environment") ?? "production"
        guard RecordEnvironment(rawValue: environment) != nil else {
            throw .usage("--source-environment is '\(environment)'; it must be development or production.")
        }
        var url = option("--source-url") ?? Self.apple
        while url.hasSuffix("/") { url.removeLast() }
        guard url.hasPrefix("https://") || url.hasPrefix("http://"), !url.contains("?"), !url.contains("#") else {
            throw .usage("--source-url is '\(url)'; it must begin with https:// and have no query.")
        }
        return SourceDatabase(
            url: url, container: container, environment: environment, isPrivate: option("--owner") != nil)
    }

    private func credential(isPrivate: Bool) throws(Failure) -> SourceCredential {
        let isKey = option("--key-id") != nil || option("--private-key") != nil
        let isUser = option("--api-token") != nil || option("--web-auth-token-file") != nil
        guard isKey != isUser else {
            throw .usage(
                isKey
                    ? "Give a server-to-server key or an API token, not both."
                    : "The source needs a credential: --key-id and --private-key for the public database, or --api-token and --web-auth-token-file."
            )
        }
        if isKey {
            guard !isPrivate else {
                throw .usage(
                    "A server-to-server key cannot read a private database. --owner needs --api-token and --web-auth-token-file."
                )
            }
            guard let id = option("--key-id"), let path = option("--private-key") else {
                throw .usage("A server-to-server key needs both --key-id and --private-key.")
            }
            let pem = try Self.read(path)
            do throws(P256PrivateKey.Problem) {
                return .key(id: id, try P256PrivateKey(pem: pem))
            } catch {
                throw Failure(Self.sentence(about: path, error))
            }
        }
        guard let token = option("--api-token"), let path = option("--web-auth-token-file") else {
            throw .usage("A user needs both --api-token and --web-auth-token-file.")
        }
        let webAuthToken = try Self.read(path).split(whereSeparator: \.isWhitespace).map(String.init)
        guard webAuthToken.count == 1 else {
            throw Failure("\(path) must contain the web auth token, and nothing else.")
        }
        return .user(apiToken: token, webAuthToken: webAuthToken[0])
    }

    private static func sentence(about path: String, _ problem: P256PrivateKey.Problem) -> String {
        switch problem {
        case .notPEM:
            "\(path) has no private key as PEM text. Name the file that 'openssl ecparam -name prime256v1 -genkey' wrote."
        case .encrypted:
            "\(path) is encrypted. Decrypt it with 'openssl ec -in \(path) -out key.pem', and name that file."
        case .notP256: "\(path) is no key on the curve prime256v1, which server-to-server keys need."
        }
    }

    private static func read(_ path: String) throws(Failure) -> String {
        let text: String?
        do { text = try TextFile.read(path, upTo: 64 << 20) } catch { throw Failure("\(error)") }
        guard let text else { throw Failure("There is no file \(path).") }
        return text
    }

    // MARK: Users, types and the schema

    /// Returns the users of the source in a file, and their accounts here.
    static func usersFile(_ path: String) throws(Failure) -> [(source: String, account: String)] {
        let text = try read(path)
        do throws(UserMap.Problem) { return try UserMap.read(text) } catch {
            throw Failure("\(path):\(error.line): \(error.reason).")
        }
    }

    /// Returns the record names of accounts by those of users of the source.
    static func accounts(
        _ pairs: [(source: String, account: String)], _ users: OperatorCommand
    ) throws(Failure) -> [String: String] {
        guard !pairs.isEmpty else { return [:] }
        var names: [String: String] = [:]
        for user in try users.way.all("/users", "users") {
            let recordName = user.text("userRecordName")
            names[recordName] = recordName
            if !user.text("name").isEmpty { names[user.text("name")] = recordName }
        }
        var accounts: [String: String] = [:]
        var missing: [String] = []
        for pair in pairs {
            accounts[pair.source] = names[pair.account]
            if names[pair.account] == nil { missing.append(pair.account) }
        }
        guard missing.isEmpty else {
            throw Failure(
                "There is no account here named \(missing.prefix(10).joined(separator: ", ")). 'fogbase users add' creates accounts."
            )
        }
        return accounts
    }

    private func importSchema(_ file: String, through way: Operator) throws(Failure) {
        var request = OperatorRequest(.put, "/schema", body: Array(try Self.read(file).utf8))
        request.contentType = "text/x-ckdb"
        let body = try way.exchange(request, query: isDryRun ? [("dryRun", "true")] : [], in: nil)
        guard option(OperatorCommand.json.flag) == nil else { return }
        let changes = (try? JSONValue.parse(body))?["changes"] ?? [:]
        for line in SchemaPlan.lines(of: changes) { Terminal.say(line) }
    }

    /// Returns the types whose records are read from the default zone.
    private func types(_ way: Operator) throws(Failure) -> [String] {
        if let names = arguments.options["--types"] {
            return names.split(separator: ",").map { String($0.trimmed) }.filter { !$0.isEmpty }
        }
        let known: [String]
        if let file = option("--schema") {
            let text = try Self.read(file)
            do throws(RecordError) {
                known = try SchemaDocument.readText(Array(text.utf8)).types.map(\.name.text)
            } catch {
                throw Failure("\(file): \(error.reason).")
            }
        } else {
            known = try way.ask(.get, "/schema")["types"]?.object?.keys ?? []
        }
        // Nobody can query the records of users in CloudKit.
        let types = known.filter { $0 != "Users" && !$0.hasPrefix("_") }.sorted()
        guard !types.isEmpty else {
            throw Failure(
                "The schema here has no record types. Import the schema of the source with --schema, or name types with --types."
            )
        }
        return types
    }
}
