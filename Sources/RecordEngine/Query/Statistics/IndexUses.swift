internal import RecordModel
internal import Threads

/// How many queries have used each index since the start of the server.
final class IndexUses: Sendable {
    private let total = Locked<[IndexID: Int64]>([:])

    /// The number of queries by index.
    var counts: [IndexID: Int64] { total.withLock { $0 } }

    /// Adds the counts of one thread.
    fileprivate func add(_ uses: [IndexID: Int64]) {
        total.withLock { $0.merge(uses, uniquingKeysWith: +) }
    }
}

/// The uses that one thread has counted since it last added them to the database's. So a query takes no lock that all
/// threads share.
struct PendingIndexUses {
    private var uses: [IndexID: Int64] = [:]
    private var count = 0

    /// The number of queries after which the uses are added, on a thread that is never idle.
    private static let most = 100

    /// Counts the indexes of a query's branches.
    mutating func count(_ branches: [QueryBranch], for total: IndexUses) {
        for branch in branches {
            for scan in branch.plan.scans {
                switch scan.source {
                case .records, .creator, .name: break
                case .index(let index): uses[index.id, default: 0] += 1
                case .postings(let tree): for index in tree.indexes { uses[index.id, default: 0] += 1 }
                }
            }
        }
        count += 1
        if count >= Self.most { publish(to: total) }
    }

    /// Adds the uses to the database's.
    mutating func publish(to total: IndexUses) {
        guard count > 0 else { return }
        total.add(uses)
        uses.removeAll(keepingCapacity: true)
        count = 0
    }
}
