public import Foundation

extension Process {
    private static let starting = NSLock()

    /// Starts the process, one at a time in all tests: `run` examines all descriptors of this process, which a concurrent
    /// start would change. With a lock for each test target, the tests of two targets crashed in it together.
    public func start() throws {
        try Self.starting.withLock { try run() }
    }
}
