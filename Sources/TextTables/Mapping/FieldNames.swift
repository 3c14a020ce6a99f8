import RecordModel
import UnicodeText

/// Makes names of the data model from the headers of tables.
enum FieldNames {
    /// Returns a field name for a header: the header itself if it is a name, else its words in camel case. `Price (EUR)`
    /// becomes `priceEUR`, `Größe in cm` `größeInCm`, `2026` `field2026`.
    static func make(_ header: String) -> String {
        if FieldName(header) != nil { return header }
        let name = camelCase(header, prefix: "field", isType: false)
        // The names of system fields, such as recordName.
        return FieldName(name) == nil ? "field" + capitalized(name) : name
    }

    /// Returns a type name for a text, such as the name of a file.
    static func makeType(_ text: String) -> String {
        if RecordTypeName(text) != nil { return text }
        let name = camelCase(text, prefix: "Type", isType: true)
        return RecordTypeName(name) == nil ? "Type" : name
    }

    private static func camelCase(_ text: String, prefix: String, isType: Bool) -> String {
        var words: [String] = []
        var word = String.UnicodeScalarView()
        for scalar in text.nfc.unicodeScalars {
            // Of the scalars that a name may contain, the underscore separates words here.
            let isPart =
                scalar.properties.isXIDContinue && !scalar.properties.isDefaultIgnorableCodePoint && scalar != "_"
            if isPart {
                word.append(scalar)
            } else if !word.isEmpty {
                words.append(String(word))
                word = .init()
            }
        }
        if !word.isEmpty { words.append(String(word)) }
        if let first = words.first?.unicodeScalars.first, !first.properties.isXIDStart { words.insert(prefix, at: 0) }
        guard let first = words.first else { return prefix }
        let head = isType ? capitalized(first) : lowered(first)
        let name = words.dropFirst().reduce(head) { $0 + capitalized($1) }
        // Whole characters up to the longest name, with room for the number of a double.
        var result = ""
        for character in name {
            if result.utf8.count + character.utf8.count > Limits.identifierBytes - 8 { break }
            result.append(character)
        }
        return result
    }

    /// `EUR` becomes `eur`, and `Price` `price`.
    private static func lowered(_ word: String) -> String {
        word == word.uppercased() ? word.lowercased() : word.prefix(1).lowercased() + word.dropFirst()
    }

    private static func capitalized(_ word: String) -> String {
        word.prefix(1).uppercased() + word.dropFirst()
    }
}
