import HTTP
import RecordModel
import RecordWire
import Testing

/// A field that gets another type.
@Suite struct FieldTypeTests {
    /// A price of 10 makes the field INT64; the rejection of a later fraction must name the way out.
    @Test(arguments: [RecordEnvironment.development, .production])
    func `the rejection of a fraction names the request that changes the type`(environment: RecordEnvironment)
        async throws
    {
        let database = try await TestDatabase.make(environment)
        await database.call(
            .put, "/schema", as: .administrator,
            body: #"{"types":{"Good":{"fields":{"price":{"type":"INT64"},"all":{"type":"INT64_LIST"}}}}}"#)
        await database.call(
            .put, "/records/Good/tea", as: .administrator, body: #"{"fields":{"price":10,"all":[1,2]}}"#)
        let command = "PATCH /schema/types/Good/fields/price and {\"type\":\"DOUBLE\"}"
        for body in [#"{"fields":{"price":9.5}}"#, #"{"fields":{"price":{"value":9.5,"type":"DOUBLE"}}}"#] {
            let rejected = await database.call(.put, "/records/Good/mint", as: .administrator, body: body)
            #expect(
                rejected.status == 400 && rejected.json?["reason"]?.string?.contains(command) == true,
                "\(rejected.text)")
        }
        await database.play([
            Scenario(
                "without permission", .creator, .patch, "/schema/types/Good/fields/price", #"{"type":"DOUBLE"}"#, 403),
            Scenario(
                "to a type that loses data", .administrator, .patch, "/schema/types/Good/fields/price",
                #"{"type":"STRING"}"#, 400, contains: ["is INT64 and cannot become STRING while there are records"]),
            Scenario(
                "of no field", .administrator, .patch, "/schema/types/Good/fields/cost", #"{"type":"DOUBLE"}"#, 404),
            Scenario(
                "of no type", .administrator, .patch, "/schema/types/Tea/fields/price", #"{"type":"DOUBLE"}"#, 404),
            Scenario(
                "without a type", .administrator, .patch, "/schema/types/Good/fields/price", "{}", 400,
                contains: ["or {\\\"type\\\":\\\"DOUBLE\\\"}"]),
            Scenario(
                "the command", .administrator, .patch, "/schema/types/Good/fields/price", #"{"type":"DOUBLE"}"#, 200,
                contains: [#""type":"DOUBLE""#], lacks: ["widening"]),
            Scenario(
                "of a list", .administrator, .patch, "/schema/types/Good/fields/all", #"{"type":"DOUBLE_LIST"}"#, 200),
            Scenario(
                "the fraction", .administrator, .put, "/records/Good/mint", #"{"fields":{"price":9.5,"all":[0.5]}}"#,
                201),
            Scenario(
                "what was there stays", .administrator, .get, "/records/Good/tea", 200,
                contains: [#""price":{"value":10,"type":"INT64"}"#]),
            Scenario(
                "and may be sent back", .administrator, .patch, "/records/Good/tea",
                #"{"fields":{"price":{"value":10,"type":"INT64"}}}"#, 200,
                contains: [#""price":{"value":10.0,"type":"DOUBLE"}"#]),
            Scenario(
                "back to whole numbers", .administrator, .patch, "/schema/types/Good/fields/price",
                #"{"type":"INT64"}"#, 400),
        ])
        let log = await database.call(.get, "/audit?action=schema.put", as: .administrator)
        #expect(log.text.contains(#""target":"Good""#), "\(log.text)")
    }
}
