// Japanese: references, rights and changes of records, and the editors of their fields.

export const records = {
    // Users
    "administrator": "管理者",
    "anonymous": "匿名",
    "deleted account": "削除されたアカウント",
    "key {name}": "キー {name}",
    "account name": "アカウント名",
    "modified by": "変更者",

    // Editors of fields
    "hex": "16 進数",
    "Correct the bytes first.": "先にバイト列の誤りを直してください。",
    "These are too many bytes to show in hex.": "16 進数で表示するには長すぎます。",
    "not {form} yet": "まだ {form} ではありません",
    "{size}, as {form}": "{size}（{form}）",
    "Hex is made of pairs of 0–9 and a–f.": "16 進数は 0–9 と a–f の 2 桁ずつの組です。",
    "Picture {name}": "画像 {name}",
    "One less": "1 減らす",
    "One more": "1 増やす",
    "{zone} (here)": "{zone}（現在地）",
    "Time zone": "タイムゾーン",
    "Another…": "ほか…",
    "Name of the time zone": "タイムゾーンの名前",
    "Take the first one": "最初の方にする",
    "Take the second one": "2 回目の方にする",
    "This time is left out in {zone}: the clocks go forward.": "{zone} では時計が進むため、この時刻は存在しません。",
    "The clocks show this time twice: {utc}, {offset}": "この時刻は 2 回あります: {utc}、{offset}",
    "Map around {latitude}, {longitude}": "{latitude}, {longitude} 付近の地図",

    // References
    "No record has this name. The reference would lead nowhere.": "この名前のレコードはありません。参照先のない参照になります。",
    "Look in": "探す型",
    "No record has the name {name}, or you cannot read it.": "{name} という名前のレコードはないか、読み取れません。",
    "missing": "参照先なし",
    "What refers to this record": "このレコードへの参照",
    "no record": "0 件",
    "cannot be counted: the field has no index": "フィールドにインデックスがないため数えられません",
    "not counted: the field has no index.": "フィールドにインデックスがないため、まだ数えていません。",
    "No type has a field for references.": "参照のフィールドを持つ型はありません。",

    // Access lists and shares
    "Parent": "親",
    "Share": "共有",
    "Shares": "共有の対象",
    "Link of the share": "共有のリンク",
};
