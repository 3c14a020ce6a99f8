internal import Foundation

/// What cursors and tokens of changes stand for. Clients carry the names of places.
struct InMemoryPositions {
    /// Where a page ended.
    enum Place {
        /// A list: the last record.
        case listing(after: Int64)
        /// A query: the last record as it was, and the moment that `now()` means on all pages.
        case query(after: KeptRecord, now: Int64)
        /// The feed: the last change, and up to where everything is known.
        case feed(after: Int64, complete: Int64)
    }

    private var places: [String: (place: Place, owner: String)] = [:]

    /// The place that a cursor or a token stands for; `nil` if it is another owner's, or none.
    subscript(token: String, owner: String) -> Place? {
        places[token].flatMap { $0.owner == owner ? $0.place : nil }
    }

    /// Keeps a place under a name of its own.
    ///
    /// - Parameter owner: What it belongs to: caller, zone and query.
    mutating func keep(_ place: Place, _ owner: String) -> String {
        let name = UUID().uuidString
        places[name] = (place, owner)
        return name
    }
}
