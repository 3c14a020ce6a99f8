package import RecordModel
internal import UnicodeText

/// A name and a password that are well formed.
///
/// Names are compared by their keys (`AccountTable`), passwords as RFC 8265 §4 has it (`String.preparedPassword`). What is
/// asked of new ones is more than what signs in: those that were taken before go on working.
package struct Credentials: Sendable {
    let name: String
    let password: String

    /// Those of somebody who signs in, or will sign up.
    ///
    /// - Throws: BAD_REQUEST unless the name has 1 to 128 UTF-8 bytes without control characters or spaces at its ends,
    ///   and the password 8 to 256 bytes. Nothing is cut off.
    package init(name: String, password: String) throws(RecordError) {
        self.name = try Self.checked(name: name)
        // Of one that was taken before passwords were normalized, the length was that of what was typed.
        guard password.utf8.count <= Self.typedBytes,
            Self.isLongEnough(password) || Self.isLongEnough(password.preparedPassword)
        else { throw Self.passwordLength }
        self.password = password
    }

    /// Those of an account that is to be made.
    ///
    /// - Throws: BAD_REQUEST, also for names that nobody may choose any more.
    package init(newName: String, newPassword: String) throws(RecordError) {
        name = try Self.checked(newName: newName)
        password = try Self.checked(newPassword: newPassword)
    }

    static func checked(name: String) throws(RecordError) -> String {
        guard RecordName(name) != nil, name.utf8.count <= 128, name.first?.isWhitespace == false,
            name.last?.isWhitespace == false
        else { throw invalidName("A user's name has 1 to 128 bytes, no control characters, and no space at its ends") }
        return name
    }

    /// Refuses a name that nobody may choose: those with an underscore in front are the server's, among them the names of
    /// accounts whose owners have not chosen one. Who has one from before keeps it.
    static func checked(newName name: String) throws(RecordError) -> String {
        _ = try checked(name: name)
        if let scalar = name.unicodeScalars.first(where: \.isUnfitForNames) {
            let code = "U+" + String(scalar.value, radix: 16, uppercase: true)
            throw invalidName(
                "A user's name has no \(code): it is unassigned, private, a line break, or turns the direction of the text. Leave it out"
            )
        }
        let key = name.nfkcCasefold
        guard let first = key.first, let last = key.last else {
            throw invalidName("A user's name has a character that people can see. Choose another name")
        }
        guard !first.isWhitespace, !last.isWhitespace else {
            throw invalidName("A user's name has no space at its ends, nor before or behind invisible characters there")
        }
        guard key.utf8.first != UInt8(ascii: "_") else {
            throw invalidName("Names that begin with an underscore are the server's. Choose another name")
        }
        return name
    }

    static func checked(newPassword password: String) throws(RecordError) -> String {
        guard password.utf8.count <= typedBytes, isLongEnough(password.preparedPassword) else { throw passwordLength }
        return password
    }

    private static func isLongEnough(_ password: String) -> Bool { (8...256).contains(password.utf8.count) }

    /// Normalizing makes a text at most three times as short.
    private static var typedBytes: Int { 3 * 256 }

    private static func invalidName(_ sentence: String) -> RecordError {
        .badRequest(sentence, details: [("field", .text("name"))])
    }

    private static var passwordLength: RecordError {
        .badRequest("A password has 8 to 256 bytes", details: [("field", .text("password"))])
    }
}

extension Unicode.Scalar {
    /// Whether no new name may have it: people cannot tell what it is, or it makes a name look like another.
    fileprivate var isUnfitForNames: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: true
        // Embeddings, overrides and isolates (UAX #9).
        case .format: (0x202A...0x202E).contains(value) || (0x2066...0x2069).contains(value)
        default: false
        }
    }
}

extension String {
    /// The password as it is hashed and compared (OpaqueString, RFC 8265 §4.2.2): all spaces are U+0020, and the text is in
    /// NFC, so that the same one typed on two systems is the same.
    var preparedPassword: String {
        guard !utf8.allSatisfy({ $0 < 0x80 }) else { return self }
        var result = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            result.append(scalar.properties.generalCategory == .spaceSeparator ? " " : scalar)
        }
        return String(result).nfc
    }
}
