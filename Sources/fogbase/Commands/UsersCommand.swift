import Glibc
import RecordEngine
import RecordModel
import RecordStorage
import Threads

/// `fogbase users …`: accounts from the operator's shell.
enum UsersCommand {
    static func run(_ command: Command, _ arguments: Arguments, _ settings: Settings) throws(Failure) -> ExitCode {
        guard settings.containers.contains(settings.requestContainer),
            let container = ContainerName(settings.requestContainer),
            let environment = RecordEnvironment(rawValue: settings.environment.rawValue)
        else { throw Failure("There is no container named \(settings.requestContainer).", code: .usage) }
        let folder = settings.dataPath + "/" + container.text + "/" + environment.rawValue
        do {
            if command.name == "users list" {
                for line in try list(folder) { Terminal.say(line) }
                return .success
            }
            guard DataFolder.size(of: DataFolder.databasePath(in: folder)) > 0 || command.name == "users add" else {
                throw noDatabase(folder)
            }
            try change(command.name, name: arguments.operands[0], arguments, folder: folder, environment)
            return .success
        } catch let failure as Failure {
            throw failure
        } catch let refusal as RecordError {
            throw Failure(refusal.reason + ".")
        } catch {
            throw Failure("\(error)")
        }
    }

    private static func noDatabase(_ folder: String) -> Failure {
        Failure("There is no database in \(folder) yet. Name another with --data, --container or --environment.")
    }

    // MARK: Listing

    /// The accounts of a database as a table, in the order in which they were made.
    static func list(_ folder: String) throws -> [String] {
        guard DataFolder.size(of: DataFolder.databasePath(in: folder)) > 0 else { throw noDatabase(folder) }
        let connection = try Connection(path: DataFolder.databasePath(in: folder), role: .reader)
        let accounts = try AccountTable(connection)
        var rows = [["NAME", "RECORD NAME", "CREATED", "ROLES"]]
        var last: Int64 = 0
        while true {
            let page = try accounts.list(after: last, limit: 500)
            guard let end = page.last else { break }
            last = end.id
            for account in page {
                let roles = try accounts.roles(of: account.id).keys.map(\.text).sorted().joined(separator: ", ")
                rows.append([account.name, account.recordName, day(account.created), roles])
            }
        }
        return Terminal.table(rows)
    }

    /// `2026-11-21 08:15`, in UTC.
    private static func day(_ milliseconds: Int64) -> String {
        var seconds = time_t(milliseconds / 1_000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return
            "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday)) \(two(parts.tm_hour)):\(two(parts.tm_min))"
    }

    // MARK: Changing

    private static func change(
        _ command: String, name: String, _ arguments: Arguments, folder: String, _ environment: RecordEnvironment
    ) throws {
        // The password first: nobody should type one only to learn that a server is running.
        if DataFolder.isInUse(folder) {
            throw Failure(
                "A server is using \(folder). Stop it first, or let the user sign up over HTTP with POST /users.")
        }
        var credentials: Credentials?
        if command != "users remove" {
            credentials = try Credentials(name: name, password: try password(arguments))
        }
        if !FolderInspection.isFolder(folder) {
            Terminal.complain("fogbase: There is no database in \(folder) yet; it is made now.")
        }
        let database = try RecordDatabase(
            folder: folder, environment: environment, passwords: PasswordWorkers(threads: 1))
        let change = Change(command: command, name: name, credentials: credentials)
        let result = Blocking.run { await change.perform(on: database) }
        for line in try result.get() { Terminal.say(line) }
    }

    private struct Change: Sendable {
        let command: String
        let name: String
        let credentials: Credentials?

        func perform(on database: RecordDatabase) async -> Result<[String], RecordError> {
            let result: Result<[String], RecordError>
            do throws(RecordError) {
                switch (command, credentials) {
                case ("users add", let credentials?):
                    let user = try await database.addUser(credentials)
                    result = .success(["Added \(user.name), whose record name is \(user.recordName)."])
                case ("users set-password", let credentials?):
                    try await database.setPassword(credentials)
                    result = .success(["\(name) has a new password; all sessions have ended."])
                default:
                    try await database.removeUser(named: name)
                    await database.removalsAreDone()
                    result = .success([
                        "Removed \(name) with its private database. What the account made in the public one stays."
                    ])
                }
            } catch {
                result = .failure(error)
            }
            await database.close()
            return result
        }
    }

    private static func password(_ arguments: Arguments) throws -> String {
        if let path = arguments.options["--password-file"] {
            guard let text = try TextFile.read(path) else { throw Failure("The file \(path) does not exist.") }
            return String(text.split(separator: "\n", omittingEmptySubsequences: false).first ?? "")
        }
        guard Terminal.isInteractive else {
            guard let line = readLine() else { throw Failure("Standard input holds no password.") }
            return line
        }
        guard let first = Terminal.readSecret(prompt: "Password: "),
            let second = Terminal.readSecret(prompt: "The same again: ")
        else { throw Failure("No password was given.") }
        guard first == second else { throw Failure("The two passwords differ. Nothing was changed.") }
        return first
    }
}
