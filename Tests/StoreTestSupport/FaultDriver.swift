internal import RecordModel
package import RecordStorage
internal import Synchronization

/// The features of a store's drivers besides running statements.
package final class StoreFaults: Sendable {
    private let current = Mutex<FaultPlan?>(nil)
    private let made = Mutex<[String]>([])
    /// Called before each step, on the thread that takes it.
    private let beforeStep: (@Sendable () -> Void)?

    package init(beforeStep: (@Sendable () -> Void)? = nil) {
        self.beforeStep = beforeStep
    }

    package var plan: FaultPlan? {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }

    /// The texts of all statements that were made.
    package var statements: [String] { made.withLock { $0 } }

    fileprivate func didMake(_ sql: String) { made.withLock { $0.append(sql) } }

    /// Makes a driver that wraps SQLite.
    package func makeDriver(of connection: Connection) -> any StoreDriver { FaultDriver(connection, self) }

    fileprivate func check(_ connection: Connection) throws(RecordError) {
        beforeStep?()
        guard let plan, plan.failsNow() else { return }
        if plan.losesTransaction {
            try? connection.cleanUp { () throws(RecordError) in try connection.executeDirectly("ROLLBACK") }
        }
        throw connection.failed(plan.failure)
    }
}

extension Connection {
    /// Makes all statements prepared and executed from now on fail by plan.
    package func fail(by plan: FaultPlan) {
        let faults = StoreFaults()
        faults.plan = plan
        driver = faults.makeDriver(of: self)
    }
}

/// Runs statements by SQLite, after asking whether they fail.
private final class FaultDriver: StoreDriver {
    /// It has this driver.
    private unowned let connection: Connection
    private let faults: StoreFaults

    init(_ connection: Connection, _ faults: StoreFaults) {
        self.connection = connection
        self.faults = faults
    }

    func prepare(_ sql: SQL) -> any StatementDriver {
        faults.didMake(sql.text)
        return FaultStatement(connection.prepareDirectly(sql), faults)
    }

    func execute(_ sql: SQL) throws(RecordError) {
        try faults.check(connection)
        try connection.executeDirectly(sql)
    }

    func checkpoint(_ mode: Connection.CheckpointMode) throws(RecordError) -> Bool {
        try faults.check(connection)
        return try connection.checkpointDirectly(mode)
    }
}

private final class FaultStatement: StatementDriver {
    private let statement: Statement
    private let faults: StoreFaults

    init(_ statement: Statement, _ faults: StoreFaults) {
        self.statement = statement
        self.faults = faults
    }

    func bind(_ index: Int32, _ value: StatementValue) {
        switch value {
        case .null: statement.bindNull(index)
        case .integer(let number): statement.bind(index, number)
        case .text(let bytes): statement.bind(index, text: bytes)
        case .blob(let bytes): statement.bind(index, blob: bytes)
        }
    }

    func step() throws(RecordError) -> Bool {
        do throws(RecordError) {
            try faults.check(statement.connection)
        } catch {
            statement.reset()
            throw error
        }
        return try statement.step()
    }

    func reset() { statement.reset() }
    func integer(_ column: Int32) -> Int64 { statement.integer(column) }
    func isNull(_ column: Int32) -> Bool { statement.isNull(column) }
    func bytes(_ column: Int32) -> UnsafeRawBufferPointer { statement.bytes(column) }
}
