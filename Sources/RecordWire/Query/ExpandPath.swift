package import RecordModel

/// One path of `expand`, as received: the references of a page's records that a response follows.
///
/// ```text
/// author                                        the records to which the field `author` refers
/// comments.author                               and the records to which those refer
/// Comment.post(limit=3,sort=-createdTimestamp)  the records of type Comment whose field `post` refers to the page's
/// Comment.post().author                         and the records to which those refer
/// Comment.post(where=state == 'ok',limit=3)     only those that match a condition
/// ```
package struct ExpandPath: Hashable, Sendable {
    /// The first step of a path.
    package enum Step: Hashable, Sendable {
        /// From a record to the records to which a field of it refers.
        case forward(String)
        /// From a record to the records that refer to it.
        case backward(BackwardStep)
    }

    /// The step from the records of the page.
    package var first: Step
    /// The field to follow from the records that the first step found; `nil` for none.
    package var second: String?

    /// Creates a path from its steps.
    package init(first: Step, second: String? = nil) {
        self.first = first
        self.second = second
    }
}

/// A step from a record to the records of a type that refer to it.
package struct BackwardStep: Hashable, Sendable {
    /// The type of the records to find.
    package var typeName: RecordTypeName
    /// The reference field of that type, in any spelling.
    package var field: String
    /// The most records to find for each record of the page.
    package var limit: Int
    /// The order in which the records are found.
    package var sort: [SortInput]
    /// The condition that the records must match, as in `where`; `nil` for none.
    package var condition: String?

    /// Creates a step with the default options.
    package init(
        typeName: RecordTypeName, field: String, limit: Int = Limits.backwardRecords, sort: [SortInput] = [],
        condition: String? = nil
    ) {
        self.typeName = typeName
        self.field = field
        self.limit = limit
        self.sort = sort
        self.condition = condition
    }

    /// The name of the step in the response: `Comment.post`.
    package var name: String { "\(typeName.text).\(field)" }
}

extension Limits {
    /// The most paths of one `expand`.
    package static let expandPaths = 10
    /// The longest text of one `expand`, in bytes.
    package static let expandBytes = 4_096
    /// The most records to which the paths of one response may lead.
    package static let expandedRecords = 2_000
    /// The number of records that a backward step finds for each record of the page, if it sets no limit.
    package static let backwardRecords = 10
    /// The highest limit of a backward step.
    package static let mostBackwardRecords = 100
}

extension QueryInput {
    /// Parses the text of `expand`: paths, separated by commas.
    ///
    /// - Throws: `BAD_REQUEST` for text that is not a list of paths; with cause `TOO_LARGE` for an exceeded limit.
    package static func expand(_ text: String) throws(RecordError) -> [ExpandPath] {
        try expand([text])
    }

    /// Parses a list of texts, each of which has one path or more.
    ///
    /// - Throws: As the function for one text.
    package static func expand(_ texts: [String]) throws(RecordError) -> [ExpandPath] {
        guard texts.reduce(0, { $0 + $1.utf8.count }) <= Limits.expandBytes else {
            throw tooMuchExpanded("The text of 'expand' is too long", limit: Limits.expandBytes)
        }
        var paths: [ExpandPath] = []
        for text in texts {
            var parser = ExpandParser(text)
            repeat {
                let path = try parser.path()
                if !paths.contains(path) { paths.append(path) }
                guard paths.count <= Limits.expandPaths else {
                    throw tooMuchExpanded("'expand' has too many paths", limit: Limits.expandPaths)
                }
            } while try parser.hasNext()
        }
        var steps: [String: BackwardStep] = [:]
        for case .backward(let step) in paths.map(\.first) where steps.updateValue(step, forKey: step.name) != nil {
            guard paths.allSatisfy({ $0.isConsistent(with: step) }) else {
                throw .badRequest(
                    "'expand' has \(step.name.prefix(64)) with two different options. Give it one limit, one sort and one condition",
                    details: [("path", .text(String(step.name.prefix(512))))])
            }
        }
        return paths
    }

    private static func tooMuchExpanded(_ reason: String, limit: Int) -> RecordError {
        .badRequest(reason, cause: .tooLarge, details: [("limit", .number(Int64(limit)))])
    }
}

extension ExpandPath {
    /// Whether this path does not begin with a step of the same name and other options.
    fileprivate func isConsistent(with step: BackwardStep) -> Bool {
        guard case .backward(let mine) = first, mine.name == step.name else { return true }
        return mine == step
    }
}

/// Reads the paths of one text.
private struct ExpandParser {
    private let bytes: [UInt8]
    private var position = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpaces() {
        while next == UInt8(ascii: " ") { position += 1 }
    }

    /// Moves past a byte and the spaces around it.
    ///
    /// - Returns: Whether the byte comes next.
    private mutating func takes(_ byte: Unicode.Scalar) -> Bool {
        skipSpaces()
        guard next == UInt8(ascii: byte) else { return false }
        position += 1
        skipSpaces()
        return true
    }

    /// Returns the text up to one of `.,()=` or the end, without spaces around it.
    private mutating func word() -> String {
        skipSpaces()
        let start = position
        while let byte = next, !".,()=".utf8.contains(byte) { position += 1 }
        var end = position
        while end > start, bytes[end - 1] == UInt8(ascii: " ") { end -= 1 }
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }

    /// Whether a comma and another path follow.
    mutating func hasNext() throws(RecordError) -> Bool {
        if takes(",") { return true }
        guard next == nil else { throw malformed() }
        return false
    }

    mutating func path() throws(RecordError) -> ExpandPath {
        let first = try name()
        guard takes(".") else { return ExpandPath(first: .forward(first)) }
        let second = try name()
        guard takes("(") else {
            guard next != UInt8(ascii: ".") else { throw tooDeep() }
            return ExpandPath(first: .forward(first), second: second)
        }
        guard let typeName = RecordTypeName(first) else { throw malformed() }
        var step = BackwardStep(typeName: typeName, field: second)
        try readOptions(&step)
        guard takes(".") else { return ExpandPath(first: .backward(step)) }
        let third = try name()
        guard next != UInt8(ascii: "."), next != UInt8(ascii: "(") else { throw tooDeep() }
        return ExpandPath(first: .backward(step), second: third)
    }

    private mutating func name() throws(RecordError) -> String {
        let word = word()
        guard !word.isEmpty, word.utf8.count <= Limits.identifierBytes else { throw malformed() }
        return word
    }

    /// Reads the options of a backward step up to the closing parenthesis. The keys of `sort` are separated by commas
    /// like the options, so a part without `=` continues the sort.
    private mutating func readOptions(_ step: inout BackwardStep) throws(RecordError) {
        if takes(")") { return }
        var seen: Set<String> = []
        repeat {
            let name = word()
            if takes("=") {
                guard seen.insert(name).inserted else { throw malformed() }
                switch name {
                case "limit": step.limit = try limit(word())
                case "sort": step.sort.append(try QueryInput.sortTerm(word()))
                case "where": step.condition = try condition()
                default: throw malformed()
                }
            } else {
                guard !step.sort.isEmpty else { throw malformed() }
                step.sort.append(try QueryInput.sortTerm(name))
            }
            guard step.sort.count <= Limits.sortTerms else { throw QueryInput.tooManyTerms }
        } while takes(",")
        guard takes(")") else { throw malformed() }
    }

    /// Returns the text of a condition: all up to a comma or parenthesis that is neither in quotes nor in brackets.
    private mutating func condition() throws(RecordError) -> String {
        skipSpaces()
        let start = position
        var depth = 0
        while let byte = next {
            switch byte {
            case UInt8(ascii: "'"), UInt8(ascii: "\""):
                position += 1
                while let inner = next, inner != byte { position += inner == UInt8(ascii: "\\") ? 2 : 1 }
                guard next == byte else { throw malformed() }
            case UInt8(ascii: "("), UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: ","), UInt8(ascii: ")"):
                if depth == 0 {
                    guard position > start else { throw malformed() }
                    return String(decoding: bytes[start..<position], as: UTF8.self)
                }
                if byte == UInt8(ascii: ")") { depth -= 1 }
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth = max(0, depth - 1)
            default: break
            }
            position += 1
        }
        throw malformed()
    }

    private func limit(_ text: String) throws(RecordError) -> Int {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let limit = Int(text),
            (1...Limits.mostBackwardRecords).contains(limit)
        else {
            throw .badRequest(
                "The limit of a path of 'expand' is a number from 1 to \(Limits.mostBackwardRecords)",
                details: [("path", .text("expand")), ("limit", .number(Int64(Limits.mostBackwardRecords)))])
        }
        return limit
    }

    private func malformed() -> RecordError {
        .badRequest(
            "'expand' is a list of paths: a reference field such as author, two of them such as comments.author, or Comment.post(limit=3,sort=-createdTimestamp,where=likes > 3) for the records that refer to those of the page",
            details: [("path", .text("expand")), ("offset", .number(Int64(position)))])
    }

    private func tooDeep() -> RecordError {
        .badRequest(
            "A path of 'expand' has at most two steps. Ask for the records of the second step in another request",
            details: [("path", .text("expand")), ("offset", .number(Int64(position)))])
    }
}
