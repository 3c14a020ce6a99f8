import CCrypto

/// A password hashing function with its costs. Only costs that a sign-in can bear exist.
package struct PasswordScheme: Hashable, Sendable {
    /// The function and its costs.
    enum Function: Hashable, Sendable {
        /// RFC 9106: memory in KiB, passes over it, lanes.
        case argon2id(memory: UInt32, passes: UInt32, lanes: UInt32)
        /// RFC 7914: the binary logarithm of N, r and p.
        case scrypt(logCost: UInt32, blockSize: UInt32, parallelism: UInt32)
    }

    let function: Function

    /// The most memory that one hash may use, 256 MiB: a stored hash from elsewhere must not exhaust the server.
    static let maxMemoryBytes: UInt64 = 256 << 20

    /// Creates a scheme, or `nil` if a cost is zero, contradicts its RFC, or is beyond what the server accepts.
    init?(_ function: Function) {
        switch function {
        case .argon2id(let memory, let passes, let lanes):
            // RFC 9106 §3.1: at least eight blocks of 1 KiB per lane.
            guard (1...16).contains(passes), (1...16).contains(lanes), memory >= 8 * lanes,
                UInt64(memory) << 10 <= PasswordScheme.maxMemoryBytes
            else { return nil }
        case .scrypt(let logCost, let blockSize, let parallelism):
            // RFC 7914 §6: N is larger than 1 and less than 2^(128 · r / 8).
            guard (1...20).contains(logCost), (1...32).contains(blockSize), (1...16).contains(parallelism),
                logCost < 16 * blockSize,
                UInt64(128 * blockSize) << logCost <= PasswordScheme.maxMemoryBytes
            else { return nil }
        }
        self.function = function
    }

    /// argon2id with 19 MiB, two passes, one lane.
    static let argon2id = fixed(.argon2id(memory: 19_456, passes: 2, lanes: 1))
    /// scrypt with N = 2^15, r = 8, p = 3: 32 MiB, and equivalent by OWASP's Password Storage Cheat Sheet.
    static let scrypt = fixed(.scrypt(logCost: 15, blockSize: 8, parallelism: 3))

    /// What new passwords are hashed with: argon2id where libcrypto has it (3.2 and later), else scrypt.
    package static let preferred = OpenSSLAlgorithm.argon2id == nil ? scrypt : argon2id

    /// The same function at the least cost, which stops nobody who tries passwords: for tests, whose passwords are known.
    package static let cheapest =
        OpenSSLAlgorithm.argon2id == nil
        ? fixed(.scrypt(logCost: 1, blockSize: 8, parallelism: 1)) : fixed(.argon2id(memory: 8, passes: 1, lanes: 1))

    private static func fixed(_ function: Function) -> PasswordScheme {
        guard let scheme = PasswordScheme(function) else { preconditionFailure("A built-in scheme breaks the bounds") }
        return scheme
    }

    /// Returns `length` bytes for the password and salt.
    ///
    /// - Throws: `.unavailable` if libcrypto lacks the function, `.passwordHashingFailed` if memory is short.
    /// - Complexity: Tens to hundreds of milliseconds and the scheme's memory, on purpose.
    func derive(password: [UInt8], salt: [UInt8], length: Int) throws(CryptographyError) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: length)
        let derived: Int32
        switch function {
        case .argon2id(let memory, let passes, let lanes):
            guard let algorithm = OpenSSLAlgorithm.argon2id else { throw .unavailable(algorithm: "argon2id") }
            derived = fogbase_argon2id(
                algorithm.pointer, password, password.count, salt, salt.count, memory, passes, lanes, &output, length)
        case .scrypt(let logCost, let blockSize, let parallelism):
            // libcrypto counts the blocks for p and two spare ones too.
            let blocks = (UInt64(1) << logCost) + UInt64(parallelism) + 2
            let memory = UInt64(128 * blockSize) * blocks + 4_096
            derived = password.withUnsafeBytes { password in
                EVP_PBE_scrypt(
                    password.baseAddress, password.count, salt, salt.count, UInt64(1) << logCost, UInt64(blockSize),
                    UInt64(parallelism), memory, &output, length)
            }
        }
        guard derived == 1 else {
            ERR_clear_error()
            throw .passwordHashingFailed
        }
        return output
    }
}
