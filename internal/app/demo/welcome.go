package demo

import "strings"

// Welcome returns a text with commands to try, ready to paste. It shows the password only if it was
// just created.
func (d *Demo) Welcome() string {
	file := "'" + strings.ReplaceAll(d.Admin.File, "'", `'\''`) + "'"
	password := "its password is kept in " + d.Admin.File
	if d.Admin.New {
		password = "password " + d.Admin.Text + ", kept in " + d.Admin.File
	}
	return strings.NewReplacer(
		"{url}", d.URL, "{email}", AdminEmail, "{password}", password, "{password file}", file,
	).Replace(welcome)
}

const welcome = `
stoa is running with demo data.

  Shop            {url}/
  Console         {url}/console
  Administrator   {email}, {password}
  API reference   {url}/docs
  A theme app     {url}/theme-app/shop/corner/ (another storefront; see the last lines)

The console shows sample sales of the last 30 days. They are marked Demo; no mail was sent for them, and
no webhook or plugin was told of them.

Open the shop and the console in a browser, or try the API (needs curl and node, in another terminal):

  # register, browse, buy, activate, verify
  curl -s {url}/auth/register -H 'Content-Type: application/json' -d '{"email":"me@example.com","username":"me1","password":"correct horse"}'
  curl -s '{url}/api/marketplace/products?category=marketing&limit=5'
  KEY=$(curl -s {url}/api/marketplace/products/mail-courier/purchase -H 'Content-Type: application/json' -d '{"tierId":"pro","paymentMethod":"card"}' | node -pe 'JSON.parse(require("fs").readFileSync(0)).licenseKey'); echo $KEY
  curl -s {url}/api/marketplace/products/mail-courier/activate -H 'Content-Type: application/json' -d '{"licenseKey":"'$KEY'","instanceId":"shop.example.com"}'
  curl -s "{url}/api/marketplace/products/mail-courier/license/verify?licenseKey=$KEY&instanceId=shop.example.com"
  curl -s "{url}/api/marketplace/products/mail-courier/license/lease?licenseKey=$KEY&instanceId=shop.example.com"

  # ask twice, buy once: the second answer has Idempotency-Replayed: true
  for i in 1 2; do curl -si {url}/api/marketplace/products/mail-courier/purchase -H 'Idempotency-Key: "demo-'$$'"' -H 'Content-Type: application/json' -d '{"tierId":"pro","paymentMethod":"card"}'; done

  # plugins through the gateway: CommonJS, ES module with configuration, external service
  curl -s {url}/api/v1/shop/plugins/gift-notes/health
  curl -s '{url}/api/v1/shop/plugins/shipping-rates/api/quote?country=FR&weight=1.2'
  curl -s {url}/api/v1/shop/plugins/loyalty-points/api/balance

  # administration
  TOKEN=$(curl -s {url}/auth/login -H 'Content-Type: application/json' -d '{"email":"{email}","password":"'$(cat {password file})'"}' | node -pe 'JSON.parse(require("fs").readFileSync(0)).data.access_token')
  curl -s {url}/api/v1/admin/extensions -H "Authorization: Bearer $TOKEN"
  curl -s {url}/api/v1/admin/orders -H "Authorization: Bearer $TOKEN"
  curl -s {url}/api/v1/admin/catalog -H "Authorization: Bearer $TOKEN"

  # the theme app in place of the shop at {url}/, and back
  curl -s {url}/api/v1/admin/themes/shop/activate -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '{"slug":"corner"}'
  curl -s -X POST {url}/api/v1/admin/themes/shop/deactivate -H "Authorization: Bearer $TOKEN"

Stop with Ctrl-C.

`
