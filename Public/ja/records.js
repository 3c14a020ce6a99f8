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
};
