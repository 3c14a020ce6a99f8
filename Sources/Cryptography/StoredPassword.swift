import Encodings

/// A password hash in the PHC string format: `$argon2id$v=19$m=19456,t=2,p=1$salt$digest` or
/// `$scrypt$ln=15,r=8,p=3$salt$digest`, where salt and digest are standard base64 without padding.
///
/// - Source: github.com/P-H-C/phc-string-format; the names of scrypt's costs are those of passlib.
struct StoredPassword: Hashable, Sendable {
    let scheme: PasswordScheme
    /// The salt, 8 to 64 bytes.
    let salt: [UInt8]
    /// 16 to 64 bytes.
    let digest: [UInt8]

    init(scheme: PasswordScheme, salt: [UInt8], digest: [UInt8]) {
        self.scheme = scheme
        self.salt = salt
        self.digest = digest
    }

    /// Parses a stored text; `nil` if it is malformed or its costs exceed the limits.
    init?(_ text: String) {
        // A well-formed text is much shorter than 512 bytes.
        guard text.utf8.count <= 512 else { return nil }
        var parts = text.split(separator: "$", omittingEmptySubsequences: false)[...]
        guard parts.popFirst() == "", let name = parts.popFirst() else { return nil }
        let function: PasswordScheme.Function
        switch name {
        case "argon2id":
            guard parts.popFirst() == "v=19", let costs = parts.popFirst(),
                let values = StoredPassword.values(of: costs, named: ["m", "t", "p"])
            else { return nil }
            function = .argon2id(memory: values[0], passes: values[1], lanes: values[2])
        case "scrypt":
            guard let costs = parts.popFirst(), let values = StoredPassword.values(of: costs, named: ["ln", "r", "p"])
            else { return nil }
            function = .scrypt(logCost: values[0], blockSize: values[1], parallelism: values[2])
        default:
            return nil
        }
        guard let scheme = PasswordScheme(function),
            let salt = StoredPassword.decode(parts.popFirst()), (8...64).contains(salt.count),
            let digest = StoredPassword.decode(parts.popFirst()), (16...64).contains(digest.count),
            parts.isEmpty
        else { return nil }
        self.init(scheme: scheme, salt: salt, digest: digest)
    }

    /// The text to store.
    var text: String {
        let head =
            switch scheme.function {
            case .argon2id(let memory, let passes, let lanes): "$argon2id$v=19$m=\(memory),t=\(passes),p=\(lanes)"
            case .scrypt(let logCost, let blockSize, let parallelism):
                "$scrypt$ln=\(logCost),r=\(blockSize),p=\(parallelism)"
            }
        return "\(head)$\(StoredPassword.encode(salt))$\(StoredPassword.encode(digest))"
    }

    /// Parses costs such as `a=1,b=2,c=3`, and returns the numbers. The result is `nil` unless the text has exactly the
    /// given names in the given order.
    private static func values(of costs: Substring, named names: [String]) -> [UInt32]? {
        let pairs = costs.split(separator: ",", omittingEmptySubsequences: false)
        guard pairs.count == names.count else { return nil }
        var values: [UInt32] = []
        for (pair, name) in zip(pairs, names) {
            guard pair.hasPrefix(name + "=") else { return nil }
            let digits = pair.dropFirst(name.count + 1)
            // Accept only canonical decimals, without sign and leading zeros, so that each hash has exactly one text.
            guard let value = UInt32(digits), String(value) == digits else { return nil }
            values.append(value)
        }
        return values
    }

    private static func encode(_ bytes: [UInt8]) -> String {
        String(Base64.encode(bytes).prefix(while: { $0 != "=" }))
    }

    private static func decode(_ text: Substring?) -> [UInt8]? {
        guard let text, !text.utf8.contains(UInt8(ascii: "=")) else { return nil }
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        return Base64.decode(text + padding)
    }
}
