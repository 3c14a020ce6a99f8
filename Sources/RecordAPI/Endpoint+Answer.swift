extension Endpoint {
    /// One kind of answer.
    struct Answer: Sendable {
        enum Content: Hashable, Sendable {
            case none, text, bytes
            /// The name of a schema among the components.
            case json(String)
        }

        let status: Int
        let description: String
        let content: Content

        init(_ status: Int, _ description: String, _ content: Content = .none) {
            self.status = status
            self.description = description
            self.content = content
        }
    }
}
