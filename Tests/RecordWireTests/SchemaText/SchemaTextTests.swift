import RecordModel
import RecordWire
import TestSupport
import Testing

/// The schema language: what it means, and how it is written.
@Suite struct SchemaTextTests {
    /// The example of CloudKit's documentation in the notation of other programs: no fogbase comments.
    static let foreign = """
        DEFINE SCHEMA // the whole schema

            create role Grower; /* a role
            of two lines */

            RECORD TYPE Orchard (
                "___recordID"   REFERENCE QUERYABLE,
                "___createTime" TIMESTAMP QUERYABLE SORTABLE,
                "___createdBy"  REFERENCE,
                title           STRING QUERYABLE SORTABLE SEARCHABLE,
                centre          location queryable,
                tags            LIST<STRING> QUERYABLE, -- no sort
                photos          List < Asset >,
                yieldKg         NUMBER PREFERRED AS DOUBLE,
                "grant"         STRING,
                GRANT READ TO "_world",
                GRANT CREATE TO "_icloud",
                GRANT WRITE TO Grower,
                GRANT READ, CREATE TO Grower
            );

            RECORD TYPE "Empty" ();
        """

    @Test func `a text of other programs states what the language has words for`() throws {
        let document = try SchemaDocument.parse(text: utf8(Self.foreign))
        #expect(document.roles.map(\.text) == ["Grower"])
        let type = try #require(document.types.first)
        #expect(type.name.text == "Orchard")
        #expect(type.fields.map(\.name.text) == ["title", "centre", "tags", "photos", "yieldKg", "grant"])
        #expect(type.fields.map(\.type) == [.string, .location, .stringList, .assetList, .double, .string])
        #expect(
            type.fields.map(\.options) == [
                [.queryable, .sortable, .searchable], .queryable, .queryable, [], [], [],
            ])
        #expect(type.indexes == [.init(columns: [.init("createdTimestamp")])])
        let grower = try #require(RoleName("Grower"))
        #expect(type.grants?.byRole == [.world: .read, .authenticated: .create, grower: .all])
        // No comment of the text speaks of the rest, so it stays as it is.
        #expect(type.access == .none)
        #expect(type.requiresAccess == nil)
        #expect(type.keepsOtherIndexes)
        #expect(type.fields.allSatisfy { $0.readers == .none && $0.writers == .none })
        // A type without GRANT gives nobody anything.
        #expect(document.types.last?.grants == Grants())
    }

    /// A document with everything that JSON can state.
    static let full = #"""
        {"types":{"Tag":{"fields":{},"grants":{}},"Post":{"fields":{
        "title":{"type":"STRING","indexes":["QUERYABLE","SEARCHABLE"]},
        "secret":{"type":"BYTES","read":[],"write":["editors","_creator"]},
        "place":{"type":"LOCATION_LIST"},"sortable":{"type":"INT64"},"größe":{"type":"DOUBLE_LIST"}},
        "indexes":[{"fields":["title[cd]","-createdTimestamp"],"unique":true},{"fields":["modifiedTimestamp"]},
        {"fields":["-createdTimestamp"]},{"fields":["title[words]"]},{"fields":["title[reversed]"]}],
        "grants":{"_world":["READ"],"auditors":["READ","WRITE"]},
        "acl":{"_creator":["read","write"],"role:staff":["read"],"*":["read"]},"aclRequired":true}}}
        """#

    @Test func `a text is written in this form`() throws {
        let document = try SchemaDocument.read(utf8(Self.full))
        #expect(
            document.text == #"""
                -- fogbase: {"version":1}
                DEFINE SCHEMA

                    CREATE ROLE auditors;
                    CREATE ROLE editors;
                    CREATE ROLE staff;

                    -- fogbase: {"indexes":[{"fields":["-createdTimestamp"]},{"fields":["title[cd]","-createdTimestamp"],"unique":true},{"fields":["title[reversed]"]},{"fields":["title[words]"]}],"acl":{"_creator":["read","write"],"role:staff":["read"],"*":["read"]},"aclRequired":true}
                    RECORD TYPE Post (
                        "___recordID" REFERENCE QUERYABLE,
                        "___modTime"  TIMESTAMP QUERYABLE SORTABLE,
                        "größe"       LIST<DOUBLE>,
                        place         LIST<LOCATION>,
                        -- fogbase: {"read":[],"write":["_creator","editors"]}
                        secret        BYTES,
                        "sortable"    INT64,
                        title         STRING QUERYABLE SEARCHABLE,
                        GRANT READ TO "_world",
                        GRANT READ, WRITE TO auditors
                    );

                    RECORD TYPE Tag (
                        "___recordID" REFERENCE QUERYABLE
                    );

                """#)
        #expect(try SchemaDocument.parse(text: utf8(document.text)) == document.complete)
    }

    @Test func `equal schemas have equal texts, whatever the order of their definitions`() throws {
        func type(_ fields: String, _ indexes: String) -> String {
            #"{"fields":{\#(fields)},"indexes":[\#(indexes)]}"#
        }
        let (x, y) = (#""x":{"type":"STRING"}"#, #""y":{"type":"INT64"}"#)
        let (byX, byY, down) = (#"{"fields":["x"]}"#, #"{"fields":["y"]}"#, #"{"fields":["-y"]}"#)
        let one = #"{"types":{"A":\#(type("\(x),\(y)", "\(byX),\(byY)")),"B":{"fields":{}}}}"#
        let two = #"{"types":{"B":{"fields":{}},"A":\#(type("\(y),\(x)", "\(byY),\(byX)"))}}"#
        let three = #"{"types":{"B":{"fields":{}},"A":\#(type("\(y),\(x)", "\(down),\(byX)"))}}"#
        #expect(try SchemaDocument.read(utf8(one)).text == SchemaDocument.read(utf8(two)).text)
        #expect(try SchemaDocument.read(utf8(one)).text != SchemaDocument.read(utf8(three)).text)
    }

    @Test func `comments state single properties in texts of other programs`() throws {
        let text = #"""
            DEFINE SCHEMA
            -- fogbase: {"aclRequired":true,"indexes":[]}
            RECORD TYPE Post (
                -- fogbase: {"write":null}
                title STRING,
                body STRING);
            """#
        let type = try #require(try SchemaDocument.parse(text: utf8(text)).types.first)
        #expect(type.requiresAccess == true)
        #expect(type.indexes == [] && !type.keepsOtherIndexes)
        #expect(type.access == .none)
        #expect(type.fields.map(\.writers) == [.remove, .none])
        #expect(type.fields.map(\.readers) == [.none, .none])
    }

    @Test func `an option of a system field may repeat an index of the comment`() throws {
        let text = #"""
            -- fogbase: {"version":1}
            DEFINE SCHEMA
            -- fogbase: {"indexes":[{"fields":["createdTimestamp"]}]}
            RECORD TYPE Post ("___CREATETIME" TIMESTAMP SORTABLE);
            """#
        let document = try SchemaDocument.parse(text: utf8(text))
        #expect(document.types.first?.indexes?.count == 1)
    }

    @Test func `a byte order mark and lines that end with CR LF are read`() throws {
        let text = Self.foreign.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\r\n")
        let document = try SchemaDocument.parse(text: [0xEF, 0xBB, 0xBF] + utf8(text))
        #expect(document == (try SchemaDocument.parse(text: utf8(Self.foreign))))
        let full = try SchemaDocument.read(utf8(Self.full))
        let lines = full.text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\r\n")
        #expect(try SchemaDocument.parse(text: utf8(lines)) == full.complete)
    }
}
