import RecordModel
import RecordWire

/// Reads the members of a JSON object that people write by hand, with errors that name the path.
struct DocumentReader {
    private let object: JSONObject
    private let path: String

    /// - Parameters:
    ///   - path: The path of the object, for messages; empty for the document.
    ///   - keys: The keys that the object may have.
    /// - Throws: `BAD_REQUEST` with `path` if the value is no object, or has another key.
    init(_ value: JSONValue, path: String, keys: [String]) throws(RecordError) {
        self.path = path
        guard let object = value.object else {
            let subject = path.isEmpty ? "The document" : "'\(path)'"
            throw .badRequest("\(subject) must be an object", details: [("path", .text(path))])
        }
        self.object = object
        for key in object.keys where !keys.contains(key) {
            let advice = Nearest.name(to: key, among: keys).map { "Did you mean '\($0)'?" }
            throw Self.error(
                Self.join(path, key),
                "is no key of this object. \(advice ?? "The keys are \(keys.joined(separator: ", "))")")
        }
    }

    /// The error of a member.
    func error(_ key: String, _ problem: String) -> RecordError {
        Self.error(Self.join(path, key), problem)
    }

    private static func error(_ path: String, _ problem: String) -> RecordError {
        let shown = CellText.beginning(of: path, 100)
        return .badRequest("'\(shown)' \(problem)", details: [("path", .text(shown))])
    }

    private static func join(_ path: String, _ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

    /// A member; `nil` if it is absent or null.
    subscript(key: String) -> JSONValue? {
        // A literal nil would be the value null.
        guard let value = object[key], !value.isNull else { return Optional.none }
        return value
    }

    /// Whether the object has a key, also with the value null.
    func has(_ key: String) -> Bool { object[key] != nil }

    func string(_ key: String) throws(RecordError) -> String? {
        guard let value = self[key] else { return nil }
        guard let text = value.string else { throw error(key, "must be a string") }
        return text
    }

    func bool(_ key: String) throws(RecordError) -> Bool? {
        guard let value = self[key] else { return nil }
        guard let flag = value.bool else { throw error(key, "must be true or false") }
        return flag
    }

    func strings(_ key: String) throws(RecordError) -> [String]? {
        guard let value = self[key] else { return nil }
        let texts = value.array?.compactMap(\.string)
        guard let texts, texts.count == value.array?.count, texts.count <= 100 else {
            throw error(key, "must be a list of at most 100 strings")
        }
        return texts
    }

    /// One character of ASCII, as a byte.
    func character(_ key: String, names: [String: UInt8] = [:]) throws(RecordError) -> UInt8? {
        guard let text = try string(key) else { return nil }
        if let byte = names[text.lowercased()] { return byte }
        guard text.utf8.count == 1, let byte = text.utf8.first, byte < 0x80, byte != 0, byte != 0x0A, byte != 0x0D
        else {
            let words = names.isEmpty ? "" : ", or a word: \(names.keys.sorted().joined(separator: ", "))"
            throw error(key, "must be one ASCII character\(words)")
        }
        return byte
    }

    /// A word of a list.
    func word<Word: RawRepresentable<String> & CaseIterable>(_ key: String) throws(RecordError) -> Word? {
        guard let text = try string(key) else { return nil }
        guard let word = Word(rawValue: text) else {
            throw error(key, "must be one of \(Word.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return word
    }
}

extension JSONValue {
    /// A byte of ASCII as a string.
    init(character byte: UInt8) { self = .string(String(UnicodeScalar(byte))) }
}
