package import Cryptography

extension PasswordScheme {
    /// Costs nearly nothing: for tests that make accounts by the hundred and are not about their passwords.
    package static let quick: PasswordScheme = {
        guard let scheme = PasswordScheme(.scrypt(logCost: 1, blockSize: 1, parallelism: 1)) else {
            preconditionFailure("The least costs are within the bounds")
        }
        return scheme
    }()
}
