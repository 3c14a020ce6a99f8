/// What `/openapi.json` says of a route in words of its own.
extension Route {
    /// Under which heading it stands.
    enum Tag: String, Sendable {
        case records, assets, queries, changes, schema, rights, accounts, keys, administration, operation
    }

    /// What a request has as its body. Texts are names of schemas among the components.
    enum Body: Sendable {
        case none
        case json(String)
        /// It may be left out.
        case optionalJSON(String)
        /// A form says the same as well.
        case jsonOrForm(String)
        case bytes(_ mediaType: String, isRequired: Bool)
    }

    /// One kind of answer.
    struct Response: Sendable {
        enum Content: Hashable, Sendable {
            case none, text, bytes
            /// The name of a schema among the components.
            case json(String)

            /// Whether it may be of any media type.
            var isUntyped: Bool { self == .text || self == .bytes }
        }

        let status: Int
        let description: String
        let content: Content

        static func json(_ status: Int, _ schema: String, _ description: String) -> Response {
            Response(status: status, description: description, content: .json(schema))
        }

        static func error(_ status: Int, _ description: String) -> Response { json(status, "Error", description) }

        static func empty(_ status: Int, _ description: String) -> Response {
            Response(status: status, description: description, content: .none)
        }

        static func text(_ status: Int, _ description: String) -> Response {
            Response(status: status, description: description, content: .text)
        }

        static func bytes(_ status: Int, _ description: String) -> Response {
            Response(status: status, description: description, content: .bytes)
        }

        static let unchanged = empty(304, "The client's copy is current")
        static let conditionFailed = error(412, "A condition did not hold")
    }
}
