import CloudKitImport
import HTTP
import RecordEngine
import RecordWire

/// Writes the records of an import through the HTTP interface of the running server.
///
/// A server that is busy or being restarted is waited for.
final class OperatorTarget: ImportTarget {
    private let configuration: Configuration
    private var way: Operator
    private let clock: any ImportClock
    /// The query parameters that name the database.
    private let database: [(String, String)]
    let mostOperations: Int
    let mostBytes: Int

    /// How often to try again, once a second, before the import ends.
    private static let mostAttempts = 120

    /// - Parameters:
    ///   - owner: The record name of the account whose private database gets the records; `nil` for the public
    ///     database.
    /// - Throws: `Failure` if no server runs.
    init(_ configuration: Configuration, owner: String?, clock: any ImportClock) throws(Failure) {
        self.configuration = configuration
        self.clock = clock
        way = try Operator(configuration)
        guard way.isServed else { throw Self.stopped(configuration) }
        let limits = try way.ask(.get, "/limits", isOfServer: true)
        mostOperations = Int(limits["batchOperations"]?.integer ?? 100)
        // Most of the body is left for the members around the records.
        mostBytes = Int(limits["bodyBytes"]?.integer ?? 1 << 20) / 2
        database = owner.map { [("database", "private"), ("owner", $0)] } ?? []
    }

    static func stopped(_ configuration: Configuration) -> Failure {
        Failure(
            "No server uses \(configuration.settings.dataPath). An import writes to a running server: start it with 'fogbase serve', and try again."
        )
    }

    // MARK: Requests

    /// Sends a request until the server has an answer to it.
    ///
    /// - Throws: `rejected` for an error that another attempt would not change.
    private func ask(
        _ send: (Operator) throws(Failure) -> Operator.Response
    ) async throws(ImportError) -> JSONValue {
        var attempts = 0
        while true {
            try clock.checkInterruption()
            let failure: Failure
            var delay: Int64 = 1_000
            switch Self.attempt(way, send) {
            case .success(let response):
                if response.isSuccess { return response.value }
                // 401: the server was restarted, and has another token for the operator.
                guard [401, 429, 502, 503, 504].contains(response.status) else {
                    let code = response.value["serverErrorCode"]?.string ?? "status \(response.status)"
                    throw .rejected(code: code, reason: response.value["reason"]?.string ?? code)
                }
                failure = response.rejection
                if let seconds = response.value["retryAfter"]?.integer { delay = max(100, min(seconds, 60) * 1_000) }
            case .failure(let error): failure = error
            }
            attempts += 1
            guard attempts < Self.mostAttempts else {
                throw .failed(
                    failure.sentences + ["Run the same command again later. It continues where it has stopped."])
            }
            try await clock.wait(milliseconds: delay)
            connectAgain()
        }
    }

    private static func attempt(
        _ way: Operator, _ send: (Operator) throws(Failure) -> Operator.Response
    ) -> Result<Operator.Response, Failure> {
        do throws(Failure) { return .success(try send(way)) } catch { return .failure(error) }
    }

    /// Finds the server again, which may have been restarted. While there is none, the old connection fails.
    private func connectAgain() {
        if let found = try? Operator(configuration), found.isServed { way = found }
    }

    private func query(_ zone: String) -> [(String, String)] {
        database + (database.isEmpty || zone == "_defaultZone" ? [] : [("zone", zone)])
    }

    // MARK: Records

    func makeZone(_ name: String) async throws(ImportError) {
        do throws(ImportError) {
            _ = try await ask { way throws(Failure) in
                try way.respond(.put, "/zones/" + PathSegment.encode(name), query: database)
            }
        } catch {
            guard case .rejected(_, let reason) = error else { throw error }
            throw .failed("The zone \(name) could not be created: \(reason).")
        }
    }

    func deleteZone(_ name: String) async throws(ImportError) {
        do throws(ImportError) {
            _ = try await ask { way throws(Failure) in
                try way.respond(.delete, "/zones/" + PathSegment.encode(name), query: database)
            }
        } catch {
            guard case .rejected(let code, let reason) = error else { throw error }
            guard code != "ZONE_NOT_FOUND", code != "NOT_FOUND" else { return }
            throw .failed("The zone \(name) could not be deleted: \(reason).")
        }
    }

    func write(_ operations: [JSONValue], in zone: String) async throws(ImportError) -> [JSONObject] {
        guard !operations.isEmpty else { return [] }
        let body: JSONValue = [
            "operations": .array(operations), "atomic": false, "desiredKeys": [], "preserve": ["created", "modified"],
        ]
        let query = query(zone)
        let response = try await ask { way throws(Failure) in
            try way.respond(.post, "/records", query: query, body: body)
        }
        let results = (response["records"]?.array ?? []).compactMap(\.object)
        guard results.count == operations.count else {
            throw .failed("The server returned \(results.count) results of \(operations.count) operations.")
        }
        return results
    }

    func upload(_ file: StagedFile) async throws(ImportError) -> JSONValue {
        let database = database
        // The server reads a form as several files.
        let type = file.contentType.flatMap { $0.hasPrefix("multipart/") ? nil : $0 } ?? "application/octet-stream"
        let response = try await ask { way throws(Failure) in
            try way.upload(file.path, size: Int(file.size), digest: file.digest, type: type, query: database)
        }
        guard let asset = response["asset"]?.object else { throw .failed("The server returned no asset.") }
        return .object(
            JSONObject(
                asset.members.filter { ["fileChecksum", "size", "receipt"].contains($0.key) }
                    .map { ($0.key, $0.value) }))
    }

    // MARK: Checking

    func referenceFields() async throws(ImportError) -> [String: [String]] {
        let schema = try await ask { way throws(Failure) in try way.respond(.get, "/schema") }
        var fields: [String: [String]] = [:]
        for type in schema["types"]?.object?.members ?? [] {
            fields[type.key] = (type.value["fields"]?.object?.members ?? []).filter { field in
                let name = field.value["type"]?.string ?? field.value.string
                return name == "REFERENCE" || name == "REFERENCE_LIST"
            }.map(\.key)
        }
        return fields
    }

    func list(
        _ type: String, in zone: String, fields: [String], cursor: String?
    ) async throws(ImportError) -> (records: [JSONObject], cursor: String?) {
        var query = query(zone) + [("limit", "1000"), ("fields", fields.joined(separator: ","))]
        if let cursor { query.append(("cursor", cursor)) }
        let sent = query
        do throws(ImportError) {
            let page = try await ask { way throws(Failure) in
                try way.respond(.get, "/records/" + PathSegment.encode(type), query: sent)
            }
            return ((page["records"]?.array ?? []).compactMap(\.object), page["cursor"]?.string)
        } catch {
            // A type of which no record could be carried over may not exist here.
            guard case .rejected(let code, _) = error, code == "NOT_FOUND" else { throw error }
            return ([], nil)
        }
    }
}
