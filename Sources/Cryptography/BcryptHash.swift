internal import CCrypt

/// A password hash by bcrypt, as PocketBase and Parse Server store them: `$2a$`, `$2b$` or `$2y$`, the cost, and 53
/// characters of salt and digest.
///
/// ```
/// | $2b$ | cost, two digits | $ | salt, 22 characters | digest, 31 characters |
/// ```
///
/// The server imports such hashes and creates none. libcrypt computes them.
struct BcryptHash: Hashable, Sendable {
    /// The binary logarithm of the number of rounds. Each step doubles the time: 10 is about 60 ms, 15 about 2 s.
    let cost: Int
    private let salt: Substring
    private let digest: Substring

    /// The accepted costs. The largest limits the time for which an imported hash can occupy a thread.
    static let costs = 4...15

    /// The number of bytes of a password that count. bcrypt ignores the others.
    static let passwordBytes = 72

    /// Parses a stored text; `nil` if it is malformed, of another method, or its cost is out of bounds.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 60, ["$2a$", "$2b$", "$2y$"].contains(text.prefix(4)), bytes[6] == UInt8(ascii: "$"),
            bytes[4...5].allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            bytes[7...].allSatisfy({ $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "/") || $0.isLetterOrDigit })
        else { return nil }
        cost = Int(bytes[4] - UInt8(ascii: "0")) * 10 + Int(bytes[5] - UInt8(ascii: "0"))
        guard Self.costs.contains(cost) else { return nil }
        salt = text.dropFirst(7).prefix(22)
        digest = text.suffix(31)
    }

    /// Returns whether a password matches. As everywhere, only its first 72 bytes count.
    ///
    /// - Throws: `.unavailable` if libcrypt lacks bcrypt; `.passwordHashingFailed` if too little memory is available.
    /// - Complexity: O(2^`cost`).
    func matches(_ password: [UInt8]) throws(CryptographyError) -> Bool {
        // libcrypt reads a C string: the password would end at the NUL.
        guard !password.contains(0) else { return false }
        // The three prefixes name one method. For `$2a$`, libcrypt hashes a few passwords differently, as a
        // countermeasure to a fault that no hash of these servers has.
        let setting = "$2b$\(cost < 10 ? "0" : "")\(cost)$\(salt)"
        var output = [CChar](repeating: 0, count: 64)
        let length = (password.map(CChar.init(bitPattern:)) + [0]).withUnsafeBufferPointer { password in
            fogbase_crypt(password.baseAddress, setting, &output, 64)
        }
        guard length != 0 else { throw .passwordHashingFailed }
        guard length == 60 else { throw .unavailable(algorithm: "bcrypt") }
        return ConstantTime.equal(output[29..<60].map(UInt8.init(bitPattern:)), Array(digest.utf8))
    }
}

extension UInt8 {
    fileprivate var isLetterOrDigit: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"):
            true
        default: false
        }
    }
}
