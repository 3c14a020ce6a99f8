/// An API rule of PocketBase, as far as grants can say the same.
enum PocketBaseRule: Hashable {
    enum Operation: String, CaseIterable {
        case list, view, create, update, delete

        /// The column of `_collections`.
        var column: String { rawValue + "Rule" }
    }

    case administrators
    /// Only the user to whom a field refers.
    case owner(field: String)
    case signedIn
    case everyone
    /// A rule without an equivalent.
    case other(String)

    /// Reads a rule.
    ///
    /// - Parameters:
    ///   - text: The rule; `nil` for administrators only.
    ///   - owners: The fields that can name the user to whom a record belongs.
    init(_ text: String?, owners: Set<String>) {
        guard let text else {
            self = .administrators
            return
        }
        var rule = Self.withoutParentheses(Self.trimmed(text))
        if rule.isEmpty {
            self = .everyone
            return
        }
        self = .other(text)
        rule = rule.replacing("'", with: "\"")
        var (isSignedIn, owner): (Bool, String?) = (false, nil)
        for term in rule.split(separator: "&&", omittingEmptySubsequences: false) {
            let words = Self.withoutParentheses(Self.trimmed(String(term)))
                .split(whereSeparator: \.isWhitespace).joined()
            switch words {
            case #"@request.auth.id!="""#: isSignedIn = true
            default:
                guard let field = Self.owner(words), owners.contains(field), owner == nil || owner == field else {
                    return
                }
                owner = field
            }
        }
        if let owner { self = .owner(field: owner) } else if isSignedIn { self = .signedIn }
    }

    /// Returns the field of `field=@request.auth.id`; `nil` for other terms.
    private static func owner(_ term: String) -> String? {
        let sides = term.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
        guard sides.count == 2, sides.contains("@request.auth.id") else { return nil }
        var field = sides[0] == "@request.auth.id" ? sides[1] : sides[0]
        // What a request writes into the field.
        for prefix in ["@request.body.", "@request.data."] where field.hasPrefix(prefix) {
            field = String(field.dropFirst(prefix.count))
        }
        return field.hasSuffix(".id") ? String(field.dropLast(3)) : field
    }

    private static func trimmed(_ text: String) -> String {
        var text = text[...]
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }

    private static func withoutParentheses(_ text: String) -> String {
        var text = text
        while text.hasPrefix("("), text.hasSuffix(")"),
            !text.dropFirst().dropLast().contains(where: { $0 == "(" || $0 == ")" })
        {
            text = trimmed(String(text.dropFirst().dropLast()))
        }
        return text
    }

    /// The role that corresponds to the rule; `nil` for administrators, and for a rule without an equivalent.
    var role: String? {
        switch self {
        case .administrators, .other: nil
        case .owner: "_creator"
        case .signedIn: "_icloud"
        case .everyone: "_world"
        }
    }

    /// The more, the more callers may do something.
    var breadth: Int {
        switch self {
        case .administrators, .other: 0
        case .owner: 1
        case .signedIn: 2
        case .everyone: 3
        }
    }
}

/// The grants of a collection, made of its rules.
struct PocketBaseGrants {
    /// The words by role.
    private(set) var words: [(role: String, words: [String])] = []
    /// The field that names the user to whom a record belongs; `nil` for none.
    private(set) var owner: String?
    /// What a person must decide, as sentences without a period.
    private(set) var notes: [String] = []

    /// Makes the grants.
    ///
    /// - Parameters:
    ///   - owners: The fields that can name the user to whom a record belongs.
    ///   - isOfUsers: Whether the records are those of accounts, which only the server creates and deletes.
    init(_ rules: [PocketBaseRule.Operation: String], owners: Set<String>, isOfUsers: Bool) {
        var meanings: [PocketBaseRule.Operation: PocketBaseRule] = [:]
        for operation in PocketBaseRule.Operation.allCases {
            meanings[operation] = PocketBaseRule(rules[operation], owners: owners)
        }
        // A record has one creator.
        for operation in [PocketBaseRule.Operation.update, .delete, .view, .list] {
            guard case .owner(let field)? = meanings[operation] else { continue }
            if owner == nil { owner = field }
            if owner != field { meanings[operation] = .other(rules[operation] ?? "") }
        }
        grant("READ", meanings, [.list, .view])
        grant("WRITE", meanings, isOfUsers ? [.update] : [.update, .delete])
        if !isOfUsers {
            if case .owner(let field)? = meanings[.create] {
                notes.append("everyone who is signed in may create records, whatever the field \(field) says")
                meanings[.create] = .signedIn
            }
            grant("CREATE", meanings, [.create])
        }
        let used: [PocketBaseRule.Operation] = isOfUsers ? [.list, .view, .update] : PocketBaseRule.Operation.allCases
        for operation in used {
            if case .other(let text)? = meanings[operation] {
                notes.append("\(operation.column) has no equivalent, so only administrators may: \(text.prefix(300))")
            }
        }
    }

    private mutating func grant(
        _ word: String, _ meanings: [PocketBaseRule.Operation: PocketBaseRule], _ operations: [PocketBaseRule.Operation]
    ) {
        let rules = operations.compactMap { meanings[$0] }
        guard let narrow = rules.min(by: { $0.breadth < $1.breadth }) else { return }
        if rules.contains(where: { $0.breadth != narrow.breadth }) {
            let columns = operations.map(\.column).joined(separator: " and ")
            notes.append("\(columns) differ. The stricter one decides about \(word)")
        }
        guard let role = narrow.role else { return }
        if let index = words.firstIndex(where: { $0.role == role }) {
            words[index].words.append(word)
        } else {
            words.append((role, [word]))
        }
    }
}
