import RecordEngine
import RecordModel
import RecordWire
import Testing

/// `PUT /schema?dryRun=true`, and problems that only stored values show.
@Suite struct SchemaTrialTests {
    private static let documents = [
        #"{"types":{"Post":{"fields":{"n":{"type":"DOUBLE","indexes":["SORTABLE"]},"m":{"type":"INT64"},"s":{"type":"STRING","indexes":["QUERYABLE"]}},"indexes":[{"fields":["n","-s"]},{"fields":["m"],"unique":true}]},"New":{"fields":{"a":{"type":"BYTES","read":[]}},"aclRequired":true}}}"#,
        #"{"types":{"Post":{"fields":{"n":{"type":"INT64"},"m":{"type":"DOUBLE"},"s":{"type":"STRING","write":["_creator"]}},"grants":{},"acl":{"_creator":["read"]}}}}"#,
    ]

    @Test(arguments: documents) func `a dry run reports what the change does later, and changes nothing`(
        _ text: String
    ) async throws {
        let test = try TestDatabase()
        try await test.fill(20) { #""n":\#($0 % 5),"m":\#($0),"s":"s\#($0)""# }
        let document = try SchemaDocument.read(Array(text.utf8))
        var options = SchemaOptions()
        options.isDryRun = true
        let before = test.schemaText
        let tried = try await test.database.schemas.put(document, options)
        #expect(test.schemaText == before)
        let oracle = try IndexOracle(test)
        try oracle.check()
        try await test.create("new", #""n":7,"m":77,"s":"new""#)
        try await test.delete("new")
        let put = try await test.database.schemas.put(document)
        #expect(SchemaDocument(tried.schema).json == SchemaDocument(put.schema).json)
        #expect(tried.changes == put.changes)
        await test.database.indexes.waitUntilBuilt()
        try IndexOracle(test).check()
    }

    @Test func `a number that no DOUBLE equals is reported before later rules`() async throws {
        let text = #"{"types":{"Post":{"fields":{"n":{"type":"DOUBLE"},"s":{"type":"STRING","read":["nobody"]}}}}}"#
        for (building, reason) in [(IndexBuildOptions(), "no DOUBLE equals"), (.slices(of: 5), "The role nobody")] {
            let test = try TestDatabase(indexBuilding: building)
            try await test.create("odd", #""n":9007199254740993,"s":"s""#)
            let before = test.schemaText
            for isDryRun in [true, false] {
                var options = SchemaOptions()
                options.isDryRun = isDryRun
                let document = try SchemaDocument.read(Array(text.utf8))
                let error = await rejection { _ = try await test.database.schemas.put(document, options) }
                #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "")")
            }
            let shorter = try SchemaDocument.read(Array(#"{"types":{"Post":{"fields":{"n":{"type":"DOUBLE"}}}}}"#.utf8))
            let error = await rejection { _ = try await test.database.schemas.put(shorter) }
            #expect(error?.reason.contains("its field s cannot be left out") == true)
            #expect(test.schemaText == before)
            try IndexOracle(test).check()
        }
    }
}
