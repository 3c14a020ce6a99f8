import Glibc
import HTTP
import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import Threads

/// What `fogbase backup verify` has found, for the server that made the backup.
///
/// A backup can be verified on any machine. Therefore it is no failure if there is no such server, or if it cannot be
/// reached.
struct BackupTestReport {
    private let created: Int64
    private let test: RememberedBackup.Test

    init(_ found: BackupVerification, of directory: String) {
        created = found.manifest.created
        test = RememberedBackup.Test(tested: WallClock.milliseconds, problems: found.problems, in: directory)
    }

    /// Reports the result to the server of the configured data directory, or writes it there if no server runs.
    ///
    /// - Returns: Whether the server or the directory knows the backup, and now remembers the result.
    func send(_ configuration: Configuration) -> Bool {
        do throws(Failure) {
            let path = configuration.settings.dataPath
            return try OperatorChannel.find(in: path) == nil ? write(to: path) : ask(Operator(configuration))
        } catch {
            return false
        }
    }

    private func ask(_ way: Operator) throws(Failure) -> Bool {
        defer { way.close() }
        // Without a server, this would open and migrate the databases.
        guard way.isServed else { return false }
        var body = JSONObject([("created", .integer(created)), ("problems", .integer(Int64(test.problems)))])
        if let problem = test.problem { body["problem"] = .string(problem) }
        return try way.respond(.post, "/backup/tests", body: .object(body), isOfServer: true).isSuccess
    }

    /// Writes the result into the file of a server that does not run. Only a file of this version that has the backup
    /// is opened for writing: a verification must not migrate data.
    private func write(to dataPath: String) -> Bool {
        let file = ServerFile.path(in: dataPath)
        var status = stat()
        guard stat(file, &status) == 0, status.st_uid == geteuid(), hasBackup(file) else { return false }
        let (created, test) = (created, test)
        guard
            let administrators = try? Administrators(dataPath: dataPath, passwords: PasswordWorkers(threads: 1))
        else { return false }
        return Blocking.run {
            let backup = try? await administrators.remember(test, of: created)
            await administrators.close()
            return backup != nil
        }
    }

    private func hasBackup(_ file: String) -> Bool {
        guard let store = try? ServerInspector(file: file), let state = try? store.migrationState(),
            state.missing == 0, state.unknown == 0, let backups = try? store.backups()
        else { return false }
        return backups.contains { $0.created == created }
    }
}
