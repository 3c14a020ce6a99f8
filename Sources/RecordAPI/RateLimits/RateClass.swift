/// The classes of requests. Requests of one class are counted together, and each class has its own limit. So, for
/// example, reads cannot prevent sign-ins.
package enum RateClass: String, CaseIterable, Sendable {
    /// Sign-ins, password changes, and requests with invalid credentials.
    case auth
    case read
    /// Writes of records; each operation of a batch counts separately.
    case write
    case upload
    /// Changes of schema, grants and roles, and other administration.
    case administer
    /// Sign-ups. This class is separate from `auth`, so that sign-ups cannot prevent sign-ins from the same address.
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

    /// The key of the setting that changes the limit of the class.
    var setting: String {
        switch self {
        case .auth, .read, .write, .upload, .administer: "limits.rate_\(rawValue)"
        case .signUp: "limits.rate_sign_up"
        }
    }
}
