import RecordWire
import Testing

@Suite struct RecordListTests {
    @Test func `commas separate members, whichever were removed`() {
        var list = RecordList("{\"records\":[")
        func append(_ text: String) {
            list.beginMember()
            list.json += Array(text.utf8)
        }
        append("1")
        let mark = list.mark
        append("22")
        append("33")
        #expect(list.count == 3 && list.bytes == 7)
        list.removeMembers(since: mark)
        append("4")
        #expect(String(decoding: list.json, as: UTF8.self) == "{\"records\":[1,4")
        #expect(list.count == 2 && list.bytes == 3)
        list.removeAll()
        append("5")
        #expect(String(decoding: list.json, as: UTF8.self) == "{\"records\":[5")
        #expect(list.count == 1)
    }
}
