internal import RecordModel
internal import RecordStorage
internal import Synchronization

/// A write in the writer's queue: work for the writer's thread, and the continuation of the submitter.
///
/// Unchecked `Sendable`: the submitter creates the write. From then until the submitter is resumed, only the writer's
/// thread uses the write.
class PendingWrite: @unchecked Sendable {
    /// The number of operations, for the statistics.
    let operations: Int
    /// How many operations the write counts for in its group: the number of operations, or more if they are large.
    let weight: Int
    /// Whether the write gets a group of its own, like large batches and schema changes.
    let isAlone: Bool

    /// Whether `run` sets the savepoint itself, if it needs a savepoint.
    let startsLazily: Bool

    /// Whether the write only deletes. On a full disk such writes may use the space reserved for deletions.
    var frees: Bool { false }

    /// The account of the caller; `nil` for work of the server. Accounts take turns with their large writes.
    var callerAccount: UserID? { nil }

    /// Whether the write can take long, whatever follows from it. The time of other writes is not measured: in it they
    /// mostly wait for a processor.
    var mayTakeLong: Bool { false }

    /// The time that the write took on the writer's thread, in nanoseconds, if it may take long.
    final var nanoseconds: UInt64 = 0

    /// The work that the write has left to slices, once it is committed; `nil` for none.
    final var left: HierarchyWork?

    /// Whether the entry writes nothing: see `RecordDatabase.betweenGroups`.
    var isBetweenGroups: Bool { false }

    init(operations: Int, weight: Int, isAlone: Bool, startsLazily: Bool) {
        self.operations = operations
        self.weight = weight
        self.isAlone = isAlone
        self.startsLazily = startsLazily
    }

    /// Does the work inside the group's transaction. If the whole group is rolled back, the writer calls `run` again.
    func run(_ transaction: WriteTransaction) throws(RecordError) {}

    /// Resumes the submitter after the commit.
    ///
    /// - Parameter failure: The error of `run`, of the commit or of the queue; `nil` if the write is committed.
    func finish(_ failure: RecordError?) {}
}

/// A pending write that is a closure with a result.
final class PendingValue<Value: Sendable>: PendingWrite, @unchecked Sendable {
    typealias Work = @Sendable (WriteTransaction) throws(RecordError) -> Value

    private let work: Work
    private var value: Value?
    private let continuation: UnsafeContinuation<Result<Value, RecordError>, Never>
    private let isDeletion: Bool

    override var frees: Bool { isDeletion }

    init(
        operations: Int, weight: Int, isAlone: Bool, startsLazily: Bool, frees: Bool,
        continuation: UnsafeContinuation<Result<Value, RecordError>, Never>,
        work: @escaping Work
    ) {
        self.work = work
        self.continuation = continuation
        isDeletion = frees
        super.init(operations: operations, weight: weight, isAlone: isAlone, startsLazily: startsLazily)
    }

    override func run(_ transaction: WriteTransaction) throws(RecordError) {
        value = try work(transaction)
    }

    override func finish(_ failure: RecordError?) {
        continuation.finish(&value, failure)
    }
}

extension UnsafeContinuation {
    /// Resumes with the result of a write, or with its error.
    @inline(__always)
    func finish<Value: Sendable>(
        _ value: inout Value?, _ failure: RecordError?
    ) where T == Result<Value, RecordError>, E == Never {
        if let failure {
            resume(returning: .failure(failure))
        } else if let value = value.take() {
            resume(returning: .success(value))
        } else {
            resume(returning: .failure(.databaseUnavailable))
        }
    }
}
