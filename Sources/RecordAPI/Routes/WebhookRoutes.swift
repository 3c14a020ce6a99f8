internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// The routes of webhooks. For administrators with the role developer or owner, and keys with the right
/// `manageWebhooks`.
enum WebhookRoutes {
    static let routes: [Route] = [
        Route(
            "GET /webhooks", "listWebhooks", .webhooks, "Lists the webhooks, without secrets (right manageWebhooks)",
            rate: .administer, right: .manageWebhooks, responses: [.json(200, "Webhooks", "All webhooks")]
        ) { call in
            .json(["webhooks": .array(try call.reader.webhooks.list(for: call.caller).map { .object($0.json) })])
        },
        Route(
            "POST /webhooks", "createWebhook", .webhooks,
            "Creates a webhook, which reads as its creator; its secret is shown once (right manageWebhooks)",
            rate: .administer, right: .manageWebhooks, body: .json("NewWebhook"),
            responses: [.json(201, "Webhook", "The webhook with its secret, which is shown once")]
        ) { call in try await create(&call) },
        Route(
            "GET /webhooks/{id}", "readWebhook", .webhooks, "Shows a webhook (right manageWebhooks)",
            rate: .administer, right: .manageWebhooks, responses: [.json(200, "Webhook", "The webhook")]
        ) { call in .json(.object(try call.reader.webhooks.webhook(call.parameters[0], for: call.caller).json)) },
        Route(
            "PATCH /webhooks/{id}", "changeWebhook", .webhooks,
            "Changes a webhook. After a change of URL or selection it reads as the caller (right manageWebhooks)",
            rate: .administer, right: .manageWebhooks, body: .json("WebhookChange"),
            responses: [.json(200, "Webhook", "The webhook")]
        ) { call in try await change(&call) },
        Route(
            "DELETE /webhooks/{id}", "deleteWebhook", .webhooks, "Deletes a webhook (right manageWebhooks)",
            rate: .administer, right: .manageWebhooks, responses: [.empty(204, "Deleted")]
        ) { call in
            try await call.database.webhooks.delete(call.parameters[0], by: call.actor)
            return HTTPResponse(.noContent)
        },
        Route(
            "GET /webhooks/{id}/deliveries", "listWebhookDeliveries", .webhooks,
            "Lists the last 100 attempts to deliver a message, the newest first (right manageWebhooks)",
            rate: .administer, right: .manageWebhooks, responses: [.json(200, "WebhookDeliveries", "The attempts")]
        ) { call in
            let found = try call.reader.webhooks.deliveries(of: call.parameters[0], for: call.caller)
            return .json(["deliveries": .array(found)])
        },
        Route(
            "POST /webhooks/{id}/replay", "replayWebhook", .webhooks,
            "Sends the changes since a token again: of a message, beginning or now (right manageWebhooks)",
            rate: .administer, right: .manageWebhooks, query: ["since"],
            responses: [.json(200, "Webhook", "The webhook")]
        ) { call in try await replay(call) },
        Route(
            "POST /webhooks/{id}/test", "testWebhook", .webhooks,
            "Sends a message without records, and waits for the response (right manageWebhooks)", rate: .administer,
            right: .manageWebhooks, responses: [.json(200, "WebhookDelivery", "The attempt")]
        ) { call in .json(try await call.database.webhooks.test(call.parameters[0], by: call.actor)) },
        Route(
            "POST /webhooks/{id}/pause", "pauseWebhook", .webhooks, "Pauses a webhook (right manageWebhooks)",
            rate: .administer, right: .manageWebhooks, responses: [.json(200, "Webhook", "The webhook")]
        ) { call in shown(try await call.database.webhooks.pause(call.parameters[0], by: call.actor)) },
        Route(
            "POST /webhooks/{id}/resume", "resumeWebhook", .webhooks,
            "Continues a paused or disabled webhook where it has stopped (right manageWebhooks)", rate: .administer,
            right: .manageWebhooks, responses: [.json(200, "Webhook", "The webhook")]
        ) { call in shown(try await call.database.webhooks.resume(call.parameters[0], by: call.actor)) },
        Route(
            "POST /webhooks/{id}/secret", "rotateWebhookSecret", .webhooks,
            "Gives a webhook a new secret; the old one also signs for a while (right manageWebhooks)",
            rate: .administer, right: .manageWebhooks, body: .optionalJSON("WebhookRotation"),
            responses: [.json(200, "Webhook", "The webhook with its new secret, which is shown once")]
        ) { call in try await rotate(&call) },
    ]

    private static let maxBodyBytes = 65_536
    private static let maxDescriptionBytes = 500

    /// `POST /webhooks` with `{"url","description"?,"types"?,"fields"?,"where"?,"args"?,"since"?}`. The scope parameters
    /// select the zone.
    private static func create(_ call: inout RecordCall) async throws -> HTTPResponse {
        let object = try await call.object(
            keys: ["url", "description"] + WebhookSelection.keys + ["since"], upTo: maxBodyBytes)
        guard let url = object["url"]?.string else { throw RecordError.badRequest("The body needs 'url', a string") }
        let selection = try WebhookSelection(object)
        let since = try text(object, "since")
        let address = try call.address()
        let position = try call.reader.webhooks.position(since, selection, in: address, for: call.caller)
        let made = try await call.database.webhooks.create(
            url: url, description: try description(object) ?? "", selection, in: address, at: position, by: call.actor)
        return shown(made, status: .created)
    }

    /// `PATCH /webhooks/{id}` with some of the keys of `create`, except `since`. `null` removes a part of the selection.
    private static func change(_ call: inout RecordCall) async throws -> HTTPResponse {
        let object = try await call.object(
            keys: ["url", "description"] + WebhookSelection.keys, upTo: maxBodyBytes)
        guard object.count > 0 else { throw RecordError.badRequest("The body names nothing to change") }
        var selection = JSONObject()
        for key in WebhookSelection.keys { selection[key] = object[key] }
        return shown(
            try await call.database.webhooks.change(
                call.parameters[0], url: try text(object, "url"), description: try description(object),
                selection: selection, by: call.actor))
    }

    private static func replay(_ call: RecordCall) async throws -> HTTPResponse {
        guard let since = call.query["since"], !since.isEmpty else {
            throw RequestQuery.invalid("since", "'since' is the token of a message, beginning or now")
        }
        let position = try call.reader.webhooks.position(since, of: call.parameters[0], for: call.caller)
        return shown(
            try await call.database.webhooks.replay(call.parameters[0], from: position, by: call.actor))
    }

    private static func rotate(_ call: inout RecordCall) async throws -> HTTPResponse {
        let object = try await call.object(keys: ["overlap"], upTo: 1_024, isOptional: true)
        let overlap = try object["overlap"].map { value in try WireDuration.read(value, "overlap") }
        return shown(
            try await call.database.webhooks.rotate(
                call.parameters[0], overlap: overlap ?? APIKeys.overlapSeconds, by: call.actor), status: .ok)
    }

    private static func text(_ object: JSONObject, _ key: String) throws(RecordError) -> String? {
        guard let value = object[key] else { return nil }
        guard let text = value.string else {
            throw .badRequest("'\(key)' is a string", details: [("field", .text(key))])
        }
        return text
    }

    private static func description(_ object: JSONObject) throws(RecordError) -> String? {
        guard let text = try text(object, "description") else { return nil }
        guard text.utf8.count <= maxDescriptionBytes else {
            throw .badRequest(
                "'description' has at most \(maxDescriptionBytes) bytes", details: [("field", .text("description"))])
        }
        return text
    }

    private static func shown(_ webhook: Webhook) -> HTTPResponse { .json(.object(webhook.json)) }

    private static func shown(_ made: NewWebhook, status: HTTPStatus) -> HTTPResponse {
        var object = made.webhook.json
        object["secret"] = .string(made.secret)
        var response = HTTPResponse.json(.object(object), status: status)
        // The secret is shown only once and must not be cached.
        response.fields.set(.cacheControl, "no-store")
        return response
    }

    static let schemas: StaticString = #"""
        "NewWebhook":{"type":"object","required":["url"],"additionalProperties":false,"properties":{
        "url":{"type":"string","maxLength":2048,"description":"https, or http to a network of webhooks.allow_private"},
        "description":{"type":"string","maxLength":500},
        "types":{"type":"array","minItems":1,"maxItems":100,"items":{"type":"string"},"description":"Absent: all types"},
        "fields":{"type":"array","items":{"type":"string"},"description":"Absent: all fields"},
        "where":{"type":"string","maxLength":16384,"description":"A condition on the records of one type"},
        "args":{"type":"array","maxItems":100,"description":"The values of the condition's placeholders"},
        "since":{"type":"string","default":"now","description":"now, beginning, or a sync token of the caller"}}},
        "WebhookChange":{"type":"object","minProperties":1,"additionalProperties":false,"properties":{
        "url":{"type":"string","maxLength":2048},"description":{"type":"string","maxLength":500},
        "types":{"type":["array","null"],"items":{"type":"string"}},
        "fields":{"type":["array","null"],"items":{"type":"string"}},
        "where":{"type":["string","null"]},"args":{"type":["array","null"]}}},
        "WebhookRotation":{"type":"object","additionalProperties":false,"properties":{
        "overlap":{"$ref":"#/components/schemas/Seconds","default":86400,
        "description":"How long the old secret also signs: 30 days at most"}}},
        "Webhook":{"type":"object","required":["id","url","description","database","readsAs","state","createdAt","failures"],
        "properties":{"id":{"type":"string"},"url":{"type":"string"},"description":{"type":"string"},
        "database":{"type":"string","enum":["public","private"]},"owner":{"type":"string"},
        "zone":{"type":"string","description":"Absent for the default zone"},
        "types":{"type":"array","items":{"type":"string"}},"fields":{"type":"array","items":{"type":"string"}},
        "where":{"type":"string"},"args":{"type":"array"},
        "readsAs":{"type":"object","required":["kind"],"properties":{
        "kind":{"type":"string","enum":["administrator","key"]},"name":{"type":"string"}}},
        "state":{"type":"string","enum":["active","paused","disabled"]},
        "reason":{"type":"string","description":"Why the server has paused or disabled it"},
        "createdAt":{"type":"integer"},"overlapsUntil":{"type":"integer"},
        "failures":{"type":"integer","description":"Failed attempts since the last success"},
        "failingSince":{"type":"integer"},"nextAttemptAt":{"type":"integer"},
        "secret":{"type":"string","description":"Only in the response that creates one"}}},
        "Webhooks":{"type":"object","required":["webhooks"],"properties":{
        "webhooks":{"type":"array","items":{"$ref":"#/components/schemas/Webhook"}}}},
        "WebhookDelivery":{"type":"object",
        "required":["timestamp","message","type","events","attempt","duration","delivered"],"properties":{
        "timestamp":{"type":"integer"},"message":{"type":"string","description":"The webhook-id"},
        "type":{"type":"string","enum":["records.changed","feed.reset","webhook.test"]},
        "events":{"type":"integer"},"attempt":{"type":"integer"},
        "duration":{"type":"integer","description":"Milliseconds"},"status":{"type":"integer"},
        "error":{"type":"string"},"response":{"type":"string","description":"The first 4 KiB"},
        "delivered":{"type":"boolean"}}},
        "WebhookDeliveries":{"type":"object","required":["deliveries"],"properties":{
        "deliveries":{"type":"array","items":{"$ref":"#/components/schemas/WebhookDelivery"}}}}
        """#
}
