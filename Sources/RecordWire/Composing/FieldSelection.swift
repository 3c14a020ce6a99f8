/// The fields of a record that a response contains.
package enum FieldSelection: Hashable, Sendable {
    case all
    /// The fields with these numbers, ascending.
    case only([Int])
    /// All fields except the fields with these numbers, ascending.
    case except([Int])

    /// Returns whether a response contains a field of a record.
    package func shows(_ fieldID: Int) -> Bool {
        switch self {
        case .all: true
        case .only(let wanted): wanted.contains(fieldID)
        case .except(let hidden): !hidden.contains(fieldID)
        }
    }
}

/// An iterator that applies a selection to the fields of one record, in ascending order of their numbers.
struct FieldFilter {
    private let numbers: [Int]
    /// Whether `numbers` lists the shown fields. If false, `numbers` lists the hidden fields.
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
