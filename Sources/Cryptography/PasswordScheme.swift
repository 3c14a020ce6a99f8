import CCrypto

/// A password hashing function with its costs. A scheme cannot have costs above the server's limits of time and memory.
package struct PasswordScheme: Hashable, Sendable {
    /// The function and its costs.
    package enum Function: Hashable, Sendable {
        /// argon2id (RFC 9106): the memory in KiB, the number of passes over the memory, and the number of lanes.
        case argon2id(memory: UInt32, passes: UInt32, lanes: UInt32)
        /// scrypt (RFC 7914): the binary logarithm of N, then r, then p.
        case scrypt(logCost: UInt32, blockSize: UInt32, parallelism: UInt32)
    }

    let function: Function

    /// The maximum memory of one hash in bytes, 256 MiB. The limit prevents an imported password hash from exhausting
    /// the server's memory.
    static let maxMemoryBytes: UInt64 = 256 << 20

    /// Creates a scheme; `nil` if a cost is zero, violates its RFC, or exceeds the server's limits.
    package init?(_ function: Function) {
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
    /// scrypt with N = 2^15, r = 8, p = 3, which needs 32 MiB. OWASP's Password Storage Cheat Sheet lists these costs
    /// as equivalent to `argon2id`.
    static let scrypt = fixed(.scrypt(logCost: 15, blockSize: 8, parallelism: 3))

    /// The scheme for new hashes: argon2id if libcrypto has it (version 3.2 and later), otherwise scrypt.
    package static let preferred = OpenSSLAlgorithm.argon2id == nil ? scrypt : argon2id

    private static func fixed(_ function: Function) -> PasswordScheme {
        guard let scheme = PasswordScheme(function) else { preconditionFailure("A built-in scheme breaks the bounds") }
        return scheme
    }

    /// Computes a hash of `length` bytes from the password and the salt.
    ///
    /// - Throws: `.unavailable` if libcrypto lacks the hash function; `.passwordHashingFailed` if too little memory is
    ///   available.
    /// - Complexity: Tens to hundreds of milliseconds, and the memory of the scheme. The cost is intended.
    func derive(password: [UInt8], salt: [UInt8], length: Int) throws(CryptographyError) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: length)
        let derived: Int32
        switch function {
        case .argon2id(let memory, let passes, let lanes):
            guard let algorithm = OpenSSLAlgorithm.argon2id else { throw .unavailable(algorithm: "argon2id") }
            derived = fogbase_argon2id(
                algorithm.pointer, password, password.count, salt, salt.count, memory, passes, lanes, &output, length)
        case .scrypt(let logCost, let blockSize, let parallelism):
            // libcrypto's memory limit includes p blocks and two spare blocks.
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
