internal import RecordModel
internal import RecordStorage
internal import Synchronization

/// A write that waits for its group: work for the writer's thread, and whoever waits for the result.
///
/// Unchecked: it is made by the submitter, then touched by the writer's thread alone until it resumes the submitter.
class PendingWrite: @unchecked Sendable {
    /// How many operations it has, for the statistics.
    let operations: Int
    /// What it counts for in the size of a group: its operations or, if they are large, more.
    let weight: Int
    /// Gets a group of its own: large batches, schema changes.
    let isAlone: Bool

    /// Sets its savepoint itself, if it needs one.
    let startsLazily: Bool

    /// Deletes alone: on a full disk it gets what is kept for that.
    var frees: Bool { false }

    /// Is no write: see `RecordDatabase.betweenGroups`.
    var isBetweenGroups: Bool { false }

    init(operations: Int, weight: Int, isAlone: Bool, startsLazily: Bool) {
        self.operations = operations
        self.weight = weight
        self.isAlone = isAlone
        self.startsLazily = startsLazily
    }

    /// Does the work inside the group's transaction. May be called again after the whole group was rolled back.
    func run(_ transaction: WriteTransaction) throws(RecordError) {}

    /// Hands out the result, after the commit.
    ///
    /// - Parameter failure: Why it failed, whatever `run` had produced; `nil` if it is committed.
    func finish(_ failure: RecordError?) {}
}

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
    /// Hands out what a write has made, or why it failed.
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
