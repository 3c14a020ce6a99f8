import Cryptography
import Foundation
import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import StoreTestSupport
import TestSupport
import Testing

/// A database in its own directory, with a reader on the test's task.
final class TestDatabase {
    let directory: String
    let database: RecordDatabase
    let reader: RecordReader
    /// The faults that the store's writer meets.
    private let faults = StoreFaults()
    /// Keeps the directory after the test, to be opened again.
    private let keepsDirectory: Bool
    private static let passwords = PasswordWorkers(threads: 2, scheme: .quick)

    init(
        _ environment: RecordEnvironment = .development, limits: DatabaseLimits = DatabaseLimits(),
        directory: String? = nil, keepsDirectory: Bool = false, indexBuilding: IndexBuildOptions = IndexBuildOptions(),
        checkpoints: CheckpointPolicy = CheckpointPolicy(), passwords: PasswordWorkers? = nil,
        clock: (@Sendable () -> Int64)? = nil
    ) throws {
        self.keepsDirectory = keepsDirectory
        self.directory = directory ?? NSTemporaryDirectory() + "fogbase-" + UUID().uuidString
        var drivers = StoreDrivers(writer: { [faults] in faults.makeDriver(of: $0) })
        if let clock { drivers.clock = clock }
        database = try RecordDatabase(
            directory: self.directory, environment: environment, limits: limits, passwords: passwords ?? Self.passwords,
            indexBuilding: indexBuilding, checkpoints: checkpoints,
            drivers: drivers)
        reader = try database.makeReader()
    }

    /// Opens a copy of a closed database, for tests that begin many times with the same records: to create them each time
    /// takes longer.
    convenience init(copying directory: String, indexBuilding: IndexBuildOptions = IndexBuildOptions()) throws {
        let copy = NSTemporaryDirectory() + "fogbase-" + UUID().uuidString
        try FileManager.default.copyItem(atPath: directory, toPath: copy)
        try self.init(directory: copy, indexBuilding: indexBuilding)
    }

    /// Opens a database whose index has failed in the background. One that fails at once is rejected.
    static func withFailedIndex(
        _ environment: RecordEnvironment = .development, _ fill: (TestDatabase) async throws -> Void
    ) async throws -> TestDatabase {
        let first = try TestDatabase(environment, keepsDirectory: true, indexBuilding: .slices(of: 5))
        try await fill(first)
        await first.database.indexes.waitUntilBuilt()
        await first.close()
        return try TestDatabase(environment, directory: first.directory)
    }

    deinit {
        if !keepsDirectory { try? FileManager.default.removeItem(atPath: directory) }
    }

    /// Makes the writer fail by plan.
    func inject(_ plan: FaultPlan?) { faults.plan = plan }

    /// Closes the database as a server that stops does.
    func close() async {
        reader.rest()
        await database.close()
    }

    /// Performs one operation and returns the response.
    @discardableResult
    func perform(
        _ verb: RecordOperation.Verb, _ type: String = "Post", _ name: String? = nil, _ body: String = "{}",
        as caller: Caller = .administrator(.bootstrap), in address: DatabaseAddress = .publicDefault,
        guard precondition: WritePrecondition = .none, key: IdempotencyKey? = nil
    ) async throws -> WriteResponse {
        var input = try RecordInput.readSingle(Array(body.utf8))
        input.recordName = try name.map { try #require(RecordName($0)) } ?? input.recordName
        var operation = RecordOperation(
            verb, precondition: precondition, typeName: RecordTypeName(type), isTypeInPath: true,
            recordName: input.recordName, input: input)
        try reader.refresh()
        try operation.prepare(by: reader.schema, in: database, zone: .defaultZone)
        return try await database.modify(
            WriteRequest(caller: caller, address: address, shape: .single, operations: [operation], idempotency: key))
    }

    @discardableResult
    func create(
        _ name: String?, _ fields: String = "", type: String = "Post", as caller: Caller = .administrator(.bootstrap),
        in address: DatabaseAddress = .publicDefault
    ) async throws -> WriteResponse {
        try await perform(.create, type, name, "{\"fields\":{\(fields)}}", as: caller, in: address)
    }

    @discardableResult
    func change(_ name: String, _ fields: String, type: String = "Post", as caller: Caller = .administrator(.bootstrap))
        async throws
        -> WriteResponse
    {
        try await perform(
            .modify(createsMissing: false, replacesAll: false), type, name, "{\"fields\":{\(fields)}}", as: caller)
    }

    @discardableResult
    func delete(
        _ name: String, type: String = "Post", as caller: Caller = .administrator(.bootstrap),
        in address: DatabaseAddress = .publicDefault
    ) async throws -> WriteResponse {
        try await perform(.delete(ignoresMissing: false), type, name, as: caller, in: address)
    }

    /// Performs a batch given as JSON and returns the entries of the response.
    func batch(_ json: String, as caller: Caller = .administrator(.bootstrap)) async throws -> [JSONValue] {
        let input = try BatchInput.read(Array(json.utf8), maxOperations: 200)
        let operations = try input.operations.map { try RecordOperation($0) }
        let response = try await database.modify(
            WriteRequest(
                caller: caller, address: .publicDefault, shape: .batch(isAtomic: input.atomic), operations: operations,
                fields: input.desiredKeys))
        return response.records.members
    }

    func read(
        _ name: String, type: String = "Post", as caller: Caller = .administrator(.bootstrap),
        in address: DatabaseAddress = .publicDefault, fields: [String]? = nil
    ) throws -> RecordDictionary {
        var json: [UInt8] = []
        try reader.refresh()
        _ = try reader.lookUp(
            try #require(RecordName(name)), type: try #require(RecordTypeName(type)), in: address, for: caller,
            fields: fields, to: &json)
        return try RecordDictionary.decode(json)
    }

    /// The names of a page of a listing, and its cursor.
    func list(
        type: String = "Post", as caller: Caller = .administrator(.bootstrap), limit: Int = 100, cursor: String? = nil,
        in address: DatabaseAddress = .publicDefault
    ) throws -> (names: [String], cursor: String?) {
        var json: [UInt8] = []
        try reader.refresh()
        try reader.list(
            type: try #require(RecordTypeName(type)), in: address, for: caller, fields: nil, limit: limit,
            cursor: cursor,
            to: &json)
        let page = try JSONValue.parse(json)
        return ((page["records"]?.array ?? []).compactMap { $0["recordName"]?.string }, page["cursor"]?.string)
    }

    /// A page of the change feed.
    func changes(
        since: String? = nil, as caller: Caller = .administrator(.bootstrap), limit: Int = 100,
        in address: DatabaseAddress = .publicDefault
    ) throws -> (changes: [JSONValue], token: String, moreComing: Bool) {
        var json: [UInt8] = []
        try reader.refresh()
        try reader.changes(in: address, for: caller, since: since, limit: limit, fields: nil, to: &json)
        let page = try JSONValue.parse(json)
        return (
            page["changes"]?.array ?? [], try #require(page["token"]?.string), page["moreComing"] == .bool(true)
        )
    }

    /// Signs up a user and returns the caller of the token.
    func signUp(_ name: String) async throws -> (caller: Caller, session: Session) {
        let session = try await database.accounts.signUp(Credentials(name: name, password: "correct horse"))
        try reader.refresh()
        let caller = try Array(session.token.utf8).withUnsafeBytes { try reader.callers.authenticate($0) }
        return (caller, session)
    }
}

extension BulkResponse {
    /// The body of a response without a job.
    var document: [UInt8] { if case .done(let response) = self { response.document } else { [] } }

    /// Whether the first response was repeated.
    var isReplay: Bool {
        switch self {
        case .done(let response): response.isReplay
        case .job(_, let isReplay): isReplay
        }
    }
}

/// The error of an operation.
func rejection(_ body: () async throws -> Void) async -> RecordError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? RecordError
    }
}
