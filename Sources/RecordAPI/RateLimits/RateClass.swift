/// What kinds of requests are counted together. Each has a limit of its own, so that reading never keeps anybody from signing
/// in.
package enum RateClass: String, CaseIterable, Sendable {
    /// What proves a right: signing in, passwords, and credentials that turn out to be none.
    case auth
    case read
    /// Records; each operation of a batch counts.
    case write
    case upload
    /// Schema, grants and roles.
    case administer
    /// What makes an account. Apart from `auth`: those who sign up must not keep their neighbours from signing in.
    case signUp

    var index: Int {
        switch self {
        case .auth: 0
        case .read: 1
        case .write: 2
        case .upload: 3
        case .administer: 4
        case .signUp: 5
        }
    }

    /// The setting by which the operator allows more.
    var setting: String {
        switch self {
        case .auth, .read, .write, .upload, .administer: "limits.rate_\(rawValue)"
        case .signUp: "limits.rate_sign_up"
        }
    }
}
