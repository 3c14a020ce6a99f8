internal import RecordModel
internal import RecordWire

/// The description of the interface in OpenAPI 3.1, composed from the table of routes, so that it cannot fall behind.
enum OpenAPI {
    /// - Parameter server: The URL of the server, without a slash at its end unless it is relative.
    static func document(version: String, server: String) -> [UInt8] {
        var paths = JSONObject()
        for (route, endpoint) in Endpoint.routes {
            let words = "\(route)".split(separator: " ")
            let path = String(words[1])
            var operations = paths[path]?.object ?? JSONObject()
            operations[words[0].lowercased()] = operation(endpoint, path: path)
            paths[path] = .object(operations)
        }
        let info: JSONValue = [
            "title": "Fogbase", "version": .string(version),
            "description": "A record database with CloudKit's data model over plain HTTP.",
        ]
        let head: JSONValue = [
            "openapi": "3.1.0", "info": info, "servers": [["url": .string(server)]], "security": [[:], ["bearer": []]],
            "paths": .object(paths),
        ]
        var text = head.bytes
        // The components are text already; they go in before the last brace.
        text.removeLast()
        text.appendLiteral(",\"components\":")
        text.appendLiteral(components)
        text.append(UInt8(ascii: "}"))
        return text
    }

    private static func operation(_ endpoint: Endpoint, path: String) -> JSONValue {
        var operation = JSONObject()
        operation["operationId"] = .string("\(endpoint)")
        operation["tags"] = [.string(endpoint.tag)]
        operation["summary"] = .string(endpoint.summary)
        let parameters = parameters(endpoint, path: path)
        if !parameters.isEmpty { operation["parameters"] = .array(parameters) }
        if let schema = endpoint.requestSchema {
            var content = json(schema)
            if endpoint.takesForms, var both = content.object {
                for type in ["multipart/form-data", "application/x-www-form-urlencoded"] {
                    both[type] = ["schema": ["type": "object"]]
                }
                content = .object(both)
            }
            operation["requestBody"] = ["required": .bool(!endpoint.isRequestOptional), "content": content]
        }
        if let body = endpoint.requestBytes {
            operation["requestBody"] = [
                "required": .bool(body.isRequired), "content": .object(JSONObject([(body.mediaType, [:])])),
            ]
        }
        var responses = JSONObject()
        for answer in endpoint.answers {
            var response = JSONObject()
            response["description"] = .string(answer.description)
            switch answer.content {
            case .none: break
            case .json(let schema): response["content"] = json(schema)
            case .text: response["content"] = ["text/plain": ["schema": ["type": "string"]]]
            case .bytes: response["content"] = ["application/octet-stream": [:]]
            }
            responses["\(answer.status)"] = .object(response)
        }
        responses["default"] = ["$ref": "#/components/responses/Refusal"]
        operation["responses"] = .object(responses)
        return .object(operation)
    }

    private static func json(_ schema: String) -> JSONValue {
        ["application/json": ["schema": ["$ref": .string("#/components/schemas/\(schema)")]]]
    }

    private static func parameters(_ endpoint: Endpoint, path: String) -> [JSONValue] {
        var parameters: [JSONValue] = []
        for segment in path.split(separator: "/") where segment.hasPrefix("{") {
            let name = String(segment.dropFirst().dropLast())
            parameters.append([
                "name": .string(name), "in": "path", "required": true, "schema": ["type": "string"],
            ])
        }
        let query = endpoint.queryParameters + (endpoint.takesScope ? RequestQuery.scopeNames : [])
        for name in query + endpoint.headers {
            parameters.append(["$ref": .string("#/components/parameters/\(name)")])
        }
        return parameters
    }
}
