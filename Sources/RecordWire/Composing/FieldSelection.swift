/// Which fields an answer shows.
package enum FieldSelection: Hashable, Sendable {
    case all
    /// These field numbers, ascending.
    case only([Int])
    /// All but these field numbers, ascending.
    case except([Int])

    /// Whether an answer shows a field that a record has.
    package func shows(_ fieldID: Int) -> Bool {
        switch self {
        case .all: true
        case .only(let wanted): wanted.contains(fieldID)
        case .except(let hidden): !hidden.contains(fieldID)
        }
    }
}

/// Asks a selection about the fields of one record, which come in ascending order.
struct FieldFilter {
    private let numbers: [Int]
    /// What the selection says of the numbers; the opposite of all others.
    private let showsNumbers: Bool
    private var place = 0

    init(_ selection: FieldSelection) {
        (numbers, showsNumbers) =
            switch selection {
            case .all: ([], false)
            case .only(let wanted): (wanted, true)
            case .except(let hidden): (hidden, false)
            }
    }

    @inline(__always)
    mutating func shows(_ fieldID: Int) -> Bool {
        while place < numbers.count, numbers[place] < fieldID { place &+= 1 }
        let isNamed = place < numbers.count && numbers[place] == fieldID
        return isNamed == showsNumbers
    }
}
