import Glibc
import HTTP
import RecordEngine
import RecordModel
import RecordStorage
import RecordWire

/// `fogbase backup create`, `verify` and `restore`.
enum BackupCommand {
    static let copyAssets = CommandOption(
        flag: "--copy-assets", placeholder: nil, help: "copy asset files instead of hard-linking them")
    static let replace = CommandOption(
        flag: "--replace", placeholder: nil,
        help: "first move the existing data into a directory inside the data directory")

    static let createNotes = [
        "DEST is a new directory outside the data directory. A running server writes the backup and continues to accept",
        "requests; without a server, this command writes it. A backup holds all databases, secrets, files and administrators.",
        "Ctrl-C cancels the backup and deletes DEST.",
    ]
    static let verifyNotes = [
        "If the server of the data directory (--data) made the backup, it remembers the result: GET /backups and the",
        "console show it.",
    ]
    static let restoreNotes = [
        "The data directory is named by --data. It must be new or empty, unless --replace is given.",
        "Clients that synced after the backup must sync from the start.",
    ]

    // MARK: Create

    static func create(_ arguments: Arguments, _ configuration: Configuration) throws(Failure) -> ExitCode {
        // Block the signals before any thread starts. Ctrl-C then cancels the backup instead of only ending the
        // process.
        let stop = StopSignal()
        let path = try absolute(arguments.operands[0])
        let way = try Operator(configuration)
        defer { way.close() }
        var body = JSONObject([("path", .string(path))])
        if arguments.options[copyAssets.flag] != nil { body["copyAssets"] = .bool(true) }
        var state = try way.ask(.post, "/backup", body: .object(body), isOfServer: true)
        var isCancelled = false
        while state["state"]?.string == "running" {
            if stop.wait(milliseconds: pollMilliseconds) {
                isCancelled = true
                state = try way.ask(.delete, "/backup", isOfServer: true)
            } else {
                state = try way.ask(.get, "/backup", isOfServer: true)
                show(state)
            }
        }
        Terminal.showProgress("")
        guard state["state"]?.string == "done", state["path"]?.string == path, let manifest = state["manifest"] else {
            if isCancelled { throw Failure("Cancelled. The incomplete backup was deleted.", code: .interrupted) }
            throw Failure(state["reason"]?.string ?? "The backup failed. Try again.")
        }
        if arguments.options[OperatorCommand.json.flag] != nil {
            OperatorCommand.print(state)
            return .success
        }
        let files = (manifest["files"]?.array ?? []).compactMap { $0["size"]?.integer }.reduce(0, +)
        let databases = manifest["databases"]?.array ?? []
        let assets = databases.compactMap { $0["assets"]?.integer }.reduce(0, +)
        Terminal.say(
            "Saved \(databases.count) \(databases.count == 1 ? "database" : "databases") (\(ByteCount.showRounded(Int(files)))) and \(assets) \(assets == 1 ? "asset" : "assets") to \(path)."
        )
        return .success
    }

    private static let pollMilliseconds = 200

    private static func show(_ state: JSONValue) {
        guard let done = state["done"]?.integer, let total = state["total"]?.integer else { return }
        let amount = total > 0 ? "\(done * 100 / total) %" : "\(done)"
        Terminal.showProgress("\(state.text("activity")): \(amount) of the \(state.text("unit"))")
    }

    private static func trimmed(_ path: String) -> String {
        var path = path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        return path
    }

    private static func absolute(_ path: String) throws(Failure) -> String {
        let path = trimmed(path)
        guard !path.isEmpty else { throw .usage("The name of the backup is empty.") }
        guard !path.hasPrefix("/") else { return path }
        guard let here = getcwd(nil, 0) else { throw Failure("The working directory is gone.") }
        defer { free(here) }
        return String(cString: here) + "/" + path
    }

    // MARK: Verify

    static func verify(_ arguments: Arguments, _ configuration: Configuration) throws(Failure) -> ExitCode {
        let path = trimmed(arguments.operands[0])
        let found: BackupVerification
        do throws(BackupProblem) {
            found = try BackupVerification(of: path) { activity, done, total in
                Terminal.showProgress(activity + (total > 0 ? " \(done * 100 / total) %" : done > 0 ? " \(done)" : ""))
            }
        } catch {
            Terminal.showProgress("")
            throw Failure(error.description)
        }
        Terminal.showProgress("")
        let isRemembered = BackupTestReport(found, of: path).send(configuration)
        let manifest = found.manifest
        if arguments.options[OperatorCommand.json.flag] != nil {
            OperatorCommand.print([
                "whole": .bool(found.problems.isEmpty), "version": .string(manifest.version),
                "created": .integer(manifest.created), "databases": .integer(Int64(manifest.databases.count)),
                "problems": .array(found.problems.map(JSONValue.string)), "isRemembered": .bool(isRemembered),
            ])
            return found.problems.isEmpty ? .success : .failure
        }
        Terminal.say("\(path): created \(Moment.show(manifest.created)) UTC by Fogbase \(manifest.version)")
        for database in manifest.databases {
            Terminal.say(
                "  \(database.container)/\(database.environment)"
                    + (database.mark.map { ", sequence \($0.sequence)" } ?? "")
                    + ", \(database.assets) assets (\(ByteCount.showRounded(Int(database.assetBytes))))")
        }
        for problem in found.problems { Terminal.say("PROBLEM  " + problem) }
        Terminal.say(found.problems.isEmpty ? "The backup is complete." : "The backup is damaged: use another one.")
        if isRemembered {
            Terminal.say("The server of \(configuration.settings.dataPath) remembers this result.")
        }
        return found.problems.isEmpty ? .success : .failure
    }

    // MARK: Restore

    static func restore(_ arguments: Arguments, _ settings: Settings) throws(Failure) -> ExitCode {
        let restoration = BackupRestoration(
            of: arguments.operands[0], to: settings.dataPath, replaces: arguments.options[replace.flag] != nil)
        do {
            let done = try restoration.run { Terminal.showProgress($0) }
            Terminal.showProgress("")
            if arguments.options[OperatorCommand.json.flag] != nil {
                OperatorCommand.print([
                    "data": .string(settings.dataPath), "replaced": done.replaced.map(JSONValue.string) ?? .null,
                    "created": .integer(done.manifest.created),
                ])
                return .success
            }
            Terminal.say(
                "Restored \(settings.dataPath) as it was on \(Moment.show(done.manifest.created)) UTC. Start the server."
            )
            if let replaced = done.replaced {
                Terminal.say("The previous data is in \(replaced). Delete it when you no longer need it.")
            }
            return .success
        } catch {
            Terminal.showProgress("")
            throw Failure("\(error)")
        }
    }
}
