import RecordModel
import Testing

struct FieldTypeTests {
    @Test func `a list's number is its element's plus sixteen`() {
        for type in FieldType.allCases {
            #expect(type.element.isList == false)
            #expect(type.list.isList)
            #expect(type.list.rawValue == type.element.rawValue + 16)
        }
        #expect(FieldType.allCases.count == 16)
    }

    @Test func `every tag and schema name reads back`() {
        for type in FieldType.allCases {
            #expect(FieldType(tag: type.tag.description) == type)
            #expect(FieldType(tag: type.schemaName) == type)
        }
        #expect(FieldType(tag: "string") == nil)
        #expect(FieldType(tag: "LIST") == nil)
    }

    @Test func `an asset is ASSETID in responses and ASSET in the schema`() {
        #expect(FieldType.asset.tag.description == "ASSETID")
        #expect(FieldType.assetList.schemaName == "ASSET_LIST")
    }

    @Test func `a reference action reads back`() {
        for action in ReferenceAction.allCases { #expect(ReferenceAction(text: action.text.description) == action) }
        #expect(ReferenceAction(text: "none") == nil)
    }
}
