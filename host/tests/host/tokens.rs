//! What the form of an answer costs, counted with a real tokenizer (`o200k`).

use std::collections::HashMap;

use scripted_provider::Script;
use serde_json::Value;

use crate::browser::{Home, serve};

/// Things and what is said of them in a shop: twenty by fifteen short strings.
const THINGS: [(&str, &str); 20] = [
    ("camera", "카메라"),
    ("keyboard", "키보드"),
    ("map", "지도"),
    ("message", "메시지"),
    ("report", "보고서"),
    ("contract", "계약서"),
    ("recipe", "레시피"),
    ("battery", "배터리"),
    ("printer", "프린터"),
    ("computer", "컴퓨터"),
    ("chair", "의자"),
    ("bicycle", "자전거"),
    ("clock", "시계"),
    ("notebook", "노트"),
    ("monitor", "모니터"),
    ("speaker", "스피커"),
    ("mouse", "마우스"),
    ("case", "케이스"),
    ("radio", "라디오"),
    ("piano", "피아노"),
];
const SAID: [(&str, &str); 15] = [
    ("The {} was added to your cart.", "{}를 장바구니에 담았습니다."),
    ("Remove the {} from the wish list", "위시리스트에서 {}를 삭제하기"),
    ("How do I reset the {}?", "{}를 초기화하려면 어떻게 해야 하나요?"),
    ("This {} is not available in your region.", "이 {}는 현재 지역에서 이용할 수 없습니다."),
    ("Read 24 reviews of the {}", "{} 사용 후기 24개 읽기"),
    ("Your {} will arrive on Thursday.", "주문하신 {}가 목요일에 도착할 예정입니다."),
    ("Compare the {} with similar products", "{}를 비슷한 제품과 비교하기"),
    ("Sign in to see the price of the {}.", "{} 가격을 보려면 로그인하세요."),
    ("The {} could not be connected.", "{}를 연결하지 못했습니다."),
    ("Share the {} with friends", "친구와 {} 공유하기"),
    ("Learn more about the {}", "{}에 대해 자세히 알아보기"),
    ("We recommend replacing the {} every two years.", "2년마다 {}를 교체하는 것이 좋습니다."),
    ("Is the {} still under warranty?", "{}의 보증 기간이 남아 있나요?"),
    ("Save the {} for later", "나중을 위해 {} 저장하기"),
    ("The {} has a new version.", "{}의 새 버전이 나왔습니다."),
];

/// Returns the short strings and their translations.
fn strings() -> Vec<(String, String)> {
    let of = |(thing, translated): &(&str, &str)| {
        let said = |(text, translation): &(&str, &str)| {
            (text.replace("{}", thing), translation.replace("{}", translated))
        };
        SAID.iter().map(said).collect::<Vec<_>>()
    };
    THINGS.iter().flat_map(of).collect()
}

#[test]
fn answers_take_at_most_30_percent_more_tokens_than_the_bare_translations() {
    let server = serve(Script::default());
    let strings = strings();
    let mut browser = Home::at(&server, "gemini").greeted();
    browser.translate(1, &strings.iter().map(|(text, _)| text.as_str()).collect::<Vec<_>>());
    assert_eq!(browser.finish(1).done["translated"], 300);

    let tokenizer = tiktoken_rs::o200k_base().unwrap();
    let tokens = |text: &str| tokenizer.encode_ordinary(text).len();
    let translations: HashMap<String, String> = strings.into_iter().collect();
    let (mut answers, mut bare, mut texts) = (0, 0, 0);
    for call in server.calls() {
        let translated = call.texts.iter().map(|text| translations[text].as_str());
        let keyed = translated.clone().enumerate().map(|(i, text)| (i.to_string(), text.into()));
        answers += tokens(&Value::Object(keyed.collect()).to_string());
        bare += translated.map(tokens).sum::<usize>();
        texts += call.texts.len();
    }
    println!("{texts} texts: {bare} tokens bare, {answers} in the answers' form");
    assert_eq!(texts, 300);
    assert!(answers * 100 <= bare * 130, "{answers} for {bare}");
}
