internal import RecordModel
internal import RecordWire

/// Generates the OpenAPI 3.1 document from the route table, so that the document is always current.
enum OpenAPI {
    /// Returns the document as JSON.
    ///
    /// - Parameter server: The URL of the server, without a trailing slash unless it is relative.
    static func document(_ routes: [Route], version: String, server: String) -> [UInt8] {
        var paths = JSONObject()
        for route in routes {
            let words = "\(route.name)".split(separator: " ")
            let path = String(words[1])
            var operations = paths[path]?.object ?? JSONObject()
            operations[words[0].lowercased()] = operation(route, path: path)
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
        // The components are JSON text already. They are inserted before the last brace.
        text.removeLast()
        text.appendLiteral(",\"components\":")
        appendComponents(to: &text)
        text.append(UInt8(ascii: "}"))
        return text
    }

    private static func operation(_ route: Route, path: String) -> JSONValue {
        var operation = JSONObject()
        operation["operationId"] = .string("\(route.id)")
        operation["tags"] = [.string(route.tag.rawValue)]
        operation["summary"] = .string(route.summary)
        let parameters = parameters(route, path: path)
        if !parameters.isEmpty { operation["parameters"] = .array(parameters) }
        switch route.body {
        case .none: break
        case .json(let schema): operation["requestBody"] = requestBody(json(schema))
        case .optionalJSON(let schema): operation["requestBody"] = requestBody(json(schema), isRequired: false)
        case .jsonOrForm(let schema):
            var content = json(schema)
            for type in ["multipart/form-data", "application/x-www-form-urlencoded"] {
                content[type] = ["schema": ["type": "object"]]
            }
            operation["requestBody"] = requestBody(content)
        case .jsonOrSchemaText(let schema):
            var content = json(schema)
            content[SchemaTextBody.mediaType] = ["schema": ["type": "string"]]
            operation["requestBody"] = requestBody(content)
        case .bytes(let mediaType, let isRequired):
            operation["requestBody"] = requestBody(JSONObject([(mediaType, [:])]), isRequired: isRequired)
        }
        var responses = JSONObject()
        for documented in route.responses {
            var response = JSONObject()
            response["description"] = .string(documented.description)
            switch documented.content {
            case .none: break
            case .json(let schema): response["content"] = .object(json(schema))
            case .jsonOrEvents(let schema):
                var content = json(schema)
                content["text/event-stream"] = ["schema": ["type": "string"]]
                response["content"] = .object(content)
            case .jsonOrSchemaText(let schema):
                var content = json(schema)
                content[SchemaTextBody.mediaType] = ["schema": ["type": "string"]]
                response["content"] = .object(content)
            case .text: response["content"] = ["text/plain": ["schema": ["type": "string"]]]
            case .bytes: response["content"] = ["application/octet-stream": [:]]
            }
            responses["\(documented.status)"] = .object(response)
        }
        responses["default"] = ["$ref": "#/components/responses/Error"]
        operation["responses"] = .object(responses)
        return .object(operation)
    }

    private static func requestBody(_ content: JSONObject, isRequired: Bool = true) -> JSONValue {
        ["required": .bool(isRequired), "content": .object(content)]
    }

    private static func json(_ schema: String) -> JSONObject {
        JSONObject([("application/json", ["schema": ["$ref": .string("#/components/schemas/\(schema)")]])])
    }

    private static func parameters(_ route: Route, path: String) -> [JSONValue] {
        var parameters: [JSONValue] = []
        for segment in path.split(separator: "/") where segment.hasPrefix("{") {
            let name = String(segment.dropFirst().dropLast())
            parameters.append([
                "name": .string(name), "in": "path", "required": true, "schema": ["type": "string"],
            ])
        }
        let query = route.query + (route.options.contains(.serverWide) ? [] : RequestQuery.scopeNames)
        for name in query + route.headers {
            parameters.append(["$ref": .string("#/components/parameters/\(name)")])
        }
        return parameters
    }
}
