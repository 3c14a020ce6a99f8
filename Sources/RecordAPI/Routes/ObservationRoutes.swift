internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire
internal import Threads

/// The routes that show administrators how the server is set up, how much it stores, and how it has worked lately.
enum ObservationRoutes {
    static let routes: [Route] = [
        Route(
            "GET /metrics/history", "metricsHistory", .operation, "Some metrics of the last hour or day, for charts",
            rate: .read, right: .readMetrics, options: [.serverWide, .unlogged], query: ["period"],
            responses: [.json(200, "MetricsHistory", "Series with a value for each time")]
        ) { call in try history(call) },
        Route(
            "GET /settings", "readSettings", .operation,
            "The settings of the server with their sources; secrets are masked (owners and developers)", rate: .read,
            right: .readSettings, options: .serverWide, responses: [.json(200, "Settings", "All settings")]
        ) { call in settings(call) },
        Route(
            "GET /storage", "readStorage", .operation, "The sizes of the database, and of its types and indexes",
            rate: .administer, right: .readMetrics,
            responses: [.json(200, "Storage", "Sizes; those of types are estimates in large databases")]
        ) { call in .json(try await storage(call)) },
    ]

    /// `GET /metrics/history`: returns the series of a period, the oldest value first.
    static func history(_ call: RecordCall) throws -> HTTPResponse {
        guard let period = MetricsHistory.Period(rawValue: call.query["period"] ?? "hour") else {
            throw RequestQuery.invalid("period", "'period' is hour or day")
        }
        let points = call.api.history.points(period)
        var series = JSONObject()
        for (index, name) in MetricsReading.series.enumerated() {
            series[name] = .array(
                points.map { point in
                    point.values[index].map { .double(($0 * 1_000).rounded() / 1_000) } ?? .null
                })
        }
        var response = HTTPResponse.json([
            "interval": .integer(period.step), "timestamps": .array(points.map { .integer($0.timestamp) }),
            "series": .object(series),
        ])
        response.fields.set(.cacheControl, "no-store")
        return response
    }

    /// `GET /settings`: returns all settings in the order of the manual.
    static func settings(_ call: RecordCall) -> HTTPResponse {
        .json([
            "settings": .array(
                call.api.configuration.settings.map { setting in
                    [
                        "key": .string(setting.key), "value": .string(setting.value), "source": .string(setting.source),
                        "isDefault": .bool(setting.isDefault), "help": .string(setting.help),
                    ]
                })
        ])
    }

    /// `GET /storage`: returns the sizes of the request's database.
    static func storage(_ call: RecordCall) async throws -> JSONValue {
        let report = try await call.database.maintenance.storage()
        return [
            "databaseBytes": .integer(Int64(report.databaseBytes)), "logBytes": .integer(Int64(report.logBytes)),
            "freeBytes": .integer(Int64(report.freeBytes)), "records": .integer(report.usage.records),
            "recordBytes": .integer(report.usage.bytes), "assetBytes": .integer(report.usage.assetBytes),
            "relation": .string(report.isExact ? "exact" : "estimate"),
            "types": .array(
                report.types.map { type in
                    [
                        "name": .string(type.name), "records": .integer(type.records),
                        "relation": .string(type.isCounted ? "exact" : "estimate"), "bytes": .integer(type.bytes),
                        "indexes": .array(
                            type.indexes.map { index in
                                [
                                    "fields": .array(index.fields.map(JSONValue.string)),
                                    "entries": index.entries.map(JSONValue.integer) ?? .null,
                                    "bytes": index.bytes.map(JSONValue.integer) ?? .null,
                                    "uses": .integer(index.uses),
                                ]
                            }),
                    ]
                }),
        ]
    }

    static let schemas: StaticString = #"""
        "MetricsHistory":{"type":"object","required":["interval","timestamps","series"],"properties":{
        "interval":{"type":"integer","description":"Between two points, in milliseconds"},
        "timestamps":{"type":"array","items":{"type":"integer"}},
        "series":{"type":"object","description":"Rates are per second, durations in milliseconds, sizes in bytes",
        "additionalProperties":{"type":"array","items":{"type":["number","null"]}}}}},
        "Settings":{"type":"object","required":["settings"],"properties":{"settings":{"type":"array",
        "items":{"type":"object","required":["key","value","source","isDefault","help"],"properties":{
        "key":{"type":"string"},"value":{"type":"string"},"source":{"type":"string"},"isDefault":{"type":"boolean"},
        "help":{"type":"string"}}}}}},
        "Storage":{"type":"object","required":["databaseBytes","logBytes","freeBytes","records","recordBytes",
        "assetBytes","relation","types"],"properties":{"databaseBytes":{"type":"integer"},
        "logBytes":{"type":"integer"},"freeBytes":{"type":"integer","description":"Free space of the disk"},
        "records":{"type":"integer"},"recordBytes":{"type":"integer"},"assetBytes":{"type":"integer"},
        "relation":{"type":"string","enum":["exact","estimate"],"description":"Of the sizes of types"},
        "types":{"type":"array","items":{"type":"object","required":["name","records","relation","bytes",
        "indexes"],"properties":{"name":{"type":"string"},"records":{"type":"integer"},
        "relation":{"type":"string","enum":["exact","estimate"],"description":"Of the number of records"},
        "bytes":{"type":"integer"},
        "indexes":{"type":"array","items":{"type":"object","required":["fields","entries","bytes","uses"],
        "properties":{"fields":{"type":"array","items":{"type":"string"}},"entries":{"type":["integer","null"],
        "description":"When they were last counted"},"bytes":{"type":["integer","null"]},
        "uses":{"type":"integer","description":"Queries since the start of the server"}}}}}}}}}
        """#
}

extension RecordAPI {
    /// Adds the current metrics to their history. Call this every few seconds.
    package func keepMetrics() {
        history.add(MetricsReading(OperationRoutes.metricsText(self), at: WallClock.milliseconds))
    }
}
