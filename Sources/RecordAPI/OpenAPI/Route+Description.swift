/// The documentation of a route in `/openapi.json`.
extension Route {
    /// The section of the document that lists the route.
    enum Tag: String, Sendable {
        case records, assets, queries, jobs, changes, zones, subscriptions, webhooks, schema, rights, accounts, keys
        case administration, operation
    }

    /// The body of a request. The associated values are names of schemas in the components.
    enum Body: Sendable {
        case none
        case json(String)
        /// A JSON body that may be absent.
        case optionalJSON(String)
        /// A JSON body, or a form with the same fields.
        case jsonOrForm(String)
        /// A JSON body, or the same as a text of the schema language.
        case jsonOrSchemaText(String)
        case bytes(_ mediaType: String, isRequired: Bool)
    }

    /// One documented response.
    struct Response: Sendable {
        enum Content: Hashable, Sendable {
            case none, text, bytes
            /// JSON of a schema in the components.
            case json(String)
            /// JSON of a schema, or the same as server-sent events.
            case jsonOrEvents(String)
            /// JSON of a schema, or the same as a text of the schema language.
            case jsonOrSchemaText(String)

            /// Whether the content may have any media type.
            var isUntyped: Bool {
                switch self {
                case .text, .bytes, .jsonOrEvents, .jsonOrSchemaText: true
                case .none, .json: false
                }
            }
        }

        let status: Int
        let description: String
        let content: Content

        static func json(_ status: Int, _ schema: String, _ description: String) -> Response {
            Response(status: status, description: description, content: .json(schema))
        }

        static func jsonOrEvents(_ status: Int, _ schema: String, _ description: String) -> Response {
            Response(status: status, description: description, content: .jsonOrEvents(schema))
        }

        static func jsonOrSchemaText(_ status: Int, _ schema: String, _ description: String) -> Response {
            Response(status: status, description: description, content: .jsonOrSchemaText(schema))
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
        static let preconditionFailed = error(412, "A condition did not hold")
    }
}
