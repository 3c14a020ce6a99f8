internal import Foundation

/// The positions that cursors and sync tokens represent. The in-memory server uses random names as cursors and tokens.
struct InMemoryPositions {
    /// The position after a page of a response.
    enum Place {
        /// A position in a list: the ID of the last record.
        case listing(after: Int64)
        /// A position in a query: the state of the last record, and the value of `now()` for all pages, in milliseconds
        /// since 1970.
        case query(after: InMemoryRecord, now: Int64)
        /// A position in the change feed: the sequence number of the last change, and the sequence number up to which
        /// the caller has complete data. The last number is that of the last change of the caller's rights.
        case feed(after: Int64, complete: Int64, rights: Int64 = 0)
    }

    private var places: [String: (place: Place, owner: String)] = [:]

    /// The position of a cursor or token; `nil` if the name is unknown or belongs to another owner.
    subscript(token: String, owner: String) -> Place? {
        places[token].flatMap { $0.owner == owner ? $0.place : nil }
    }

    /// Stores a position and returns its name.
    ///
    /// - Parameter owner: A text that identifies the caller, zone and query that can use the position.
    mutating func keep(_ place: Place, _ owner: String) -> String {
        let name = UUID().uuidString
        places[name] = (place, owner)
        return name
    }
}
