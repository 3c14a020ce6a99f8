internal import RecordWire

/// Changes of the records of a live query.
struct LivePage<Model: RecordDecodable>: FeedPage {
    enum Change: Sendable {
        case put(LiveWindow<Model>.Entry)
        case remove(String)

        var name: String {
            switch self {
            case .put(let entry): entry.name
            case .remove(let name): name
            }
        }
    }

    var token = ChangeToken("")
    var moreComing = false
    /// The query's order, which knows the fields to compare.
    var order: LiveOrder
    /// The changes in their order.
    private(set) var changes: [Change] = []
    /// Whether a stream has delivered all changes up to now.
    private(set) var isCaughtUp = false

    var isEmpty: Bool { changes.isEmpty && !isCaughtUp }

    init(order: LiveOrder) {
        self.order = order
    }

    mutating func append(_ scanner: inout RecordScanner, isRemoved: Bool) throws {
        changes.append(isRemoved ? .remove(scanner.head.recordName) : .put(try order.entry(&scanner)))
    }

    mutating func catchUp() {
        isCaughtUp = true
    }
}

extension LiveOrder {
    /// Reads the scanner's current record.
    mutating func entry<Model: RecordDecodable>(_ scanner: inout RecordScanner) throws -> LiveWindow<Model>.Entry {
        let (name, key) = (scanner.head.recordName, key(of: &scanner))
        return LiveWindow.Entry(name: name, key: key, result: try scanner.result())
    }
}
