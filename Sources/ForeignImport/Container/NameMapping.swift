internal import Cryptography
internal import RecordModel

/// Maps names of a data set to names that are valid and unique here.
///
/// A character that an identifier cannot have becomes `_`. Underscores at the start are left out; before a digit stands
/// `x`. The name of a system field or type, and one that is taken, gets an underscore and a number at its end.
struct NameMapping {
    /// What the names are of.
    enum Kind {
        case type, field, role
    }

    private let kind: Kind
    private var taken: Set<String> = []
    private var names: [String: String] = [:]

    init(_ kind: Kind) {
        self.kind = kind
    }

    /// Returns the name for a name of the source. The same name gets the same result.
    mutating func name(for source: String) -> String {
        if let known = names[source] { return known }
        let base = Self.identifier(source)
        var name = base
        var number = 1
        while !isFree(name) {
            number += 1
            name = "\(base)_\(number)"
        }
        taken.insert(name)
        names[source] = name
        return name
    }

    /// Makes a name stand for a name of the source, and unavailable for others.
    mutating func reserve(_ name: String, for source: String) {
        taken.insert(name)
        names[source] = name
    }

    /// Returns the name that a name of the source has got; `nil` for none.
    func known(_ source: String) -> String? { names[source] }

    private func isFree(_ name: String) -> Bool {
        guard !taken.contains(name) else { return false }
        switch kind {
        case .type: return RecordTypeName(name)?.text == name && name != RecordTypeName.users.text
        case .field: return FieldName(name)?.text == name
        case .role: return RoleName(name)?.text == name
        }
    }

    /// Returns a text of the characters of identifiers that begins with a letter. It may be the name of a system field.
    private static func identifier(_ source: String) -> String {
        // In NFC, as the server stores names. `FieldName` has the rule for characters.
        var text = ""
        for character in source.unicodeScalars {
            let probe = "x" + String(character)
            text.unicodeScalars.append(FieldName(probe) == nil ? "_" : character)
        }
        while text.first == "_" { text.removeFirst() }
        if text.isEmpty { text = "x" }
        if FieldName(text) == nil, FieldName("x" + text) != nil, SystemField(text) == nil { text = "x" + text }
        text = FieldName("x" + text).map { String($0.text.dropFirst()) } ?? text
        // Space for the number.
        while text.utf8.count > Limits.identifierBytes - 10 { text.removeLast() }
        return text
    }
}

extension NameMapping {
    /// The record name of the account of a user at the source: the same in every conversion.
    ///
    /// - Parameters:
    ///   - scope: What the identifier is unique in, such as `pocketbase/users`.
    ///   - id: The identifier of the user.
    static func userRecordName(_ scope: String, _ id: String) -> String {
        "_" + SHA256.hash(utf8: scope + "/" + id).hex.prefix(32)
    }
}
