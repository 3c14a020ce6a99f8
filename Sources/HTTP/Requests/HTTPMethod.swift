/// A request method (RFC 9110 §9). Methods are case-sensitive.
public enum HTTPMethod: Hashable, Sendable {
    case get, head, post, put, patch, delete, options
    /// Any other valid token, such as `PROPFIND` or a lower-case `get`. No route accepts it.
    case other(String)

    /// The method as written in a request line.
    public var text: String {
        switch self {
        case .get: "GET"
        case .head: "HEAD"
        case .post: "POST"
        case .put: "PUT"
        case .patch: "PATCH"
        case .delete: "DELETE"
        case .options: "OPTIONS"
        case .other(let token): token
        }
    }
}
